"""Publish facts about patients so that a diagnosis does not follow from them."""

import krypsis

facts = krypsis.Ontology.of_text("""
    ObjectPropertyAssertion(:attendedBy :john :dora)
    ObjectPropertyAssertion(:attendedBy :john :nick)
    ObjectPropertyAssertion(:attendedBy :mary :nick)
    ClassAssertion(:Gastroenterologist :dora)
    ClassAssertion(:Psychiatrist :nick)
""")
medicine = krypsis.Ontology.of_text("""
    SubClassOf(ObjectSomeValuesFrom(:attendedBy :Gastroenterologist) :GastricDisorder)
    SubClassOf(ObjectSomeValuesFrom(:attendedBy :Psychiatrist) :MentalDisorder)
    SubClassOf(ObjectIntersectionOf(:GastricDisorder :MentalDisorder) :IrritableBowelSyndrome)
""")

# 1. Why does it follow? No single fact says it.
together = facts | medicine
print(together.justifications("ClassAssertion(:IrritableBowelSyndrome :john)")[0])

# 2. The fewest facts are left out so that it does not follow for anybody.
release = krypsis.anonymize(facts, secrets="ClassAssertion(:IrritableBowelSyndrome ?)", public=medicine)
print(release.summary())

# 3. Anybody can derive everything from the published files, and see that it does not.
release.save("hospital-axioms")
print(krypsis.check("hospital-axioms")[0].sentence)
