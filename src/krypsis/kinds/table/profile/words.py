"""What the name of a column reveals about its role, in English, Greek, German, French, Italian and Spanish."""

import re
import unicodedata
from dataclasses import dataclass
from functools import cached_property

from krypsis.data.schema import Role


@dataclass(frozen=True)
class Tag:
    """A kind of personal data, with the words that name it; a word that ends with ``*`` stands for all it begins."""

    meaning: str
    role: Role
    words: str

    @cached_property
    def _parts(self) -> tuple[frozenset[str], tuple[str, ...]]:
        plain = [word for word in self.words.split() if not word.endswith("*")]
        stems = [word[:-1] for word in self.words.split() if word.endswith("*")]
        return frozenset(map(_plain, plain)), tuple(map(_plain, stems))

    def names(self, tokens: tuple[str, ...]) -> bool:
        """Whether one of the words is among the parts of a column name, or is the whole name."""
        whole, stems = self._parts
        candidates = (*tokens, "".join(tokens))
        return any(token in whole or token.startswith(stems) for token in candidates if token)


ORIGIN = "racial or ethnic origin"

IDENTIFYING = (
    Tag("a person's e-mail address", Role.IDENTIFIER, "email* mail courriel correo*"),
    Tag(
        "a phone number",
        Role.IDENTIFIER,
        "phone* telephone* tel mobile cellphone fax telefon* handy portable telefono* movil τηλέφων* τηλ κινητό",
    ),
    Tag(
        "an official number of a person",
        Role.IDENTIFIER,
        "ssn socialsecurity* nationalid* passport* taxid tin nin nhs* mrn medicalrecord* iban swift creditcard* "
        "cardnumber accountnumber licenseplate driverslicense "
        "αμκα amka αφμ afm αδτ ταυτότητ* διαβατήρι* ιβαν "
        "ausweis* reisepass steuernummer steuerid sozialversicherung* kontonummer versichertennummer "
        "insee passeport numerosecu* codicefiscale passaporto dni nie nif pasaporte curp cpf",
    ),
    Tag(
        "a person's name",
        Role.IDENTIFIER,
        "surname* lastname firstname forename fullname familyname givenname middlename maidenname nickname "
        "username login patientname customername clientname personname employeename studentname "
        "όνομα επώνυμο επίθετο ονοματεπώνυμο πατρώνυμο μητρώνυμο "
        "nachname vorname familienname benutzername prenom nomdefamille cognome apellido* nombre nominativo",
    ),
    Tag(
        "an address",
        Role.IDENTIFIER,
        "address* street* ipaddress macaddress διεύθυνσ* οδός adresse* anschrift strasse rue indirizzo direccion calle",
    ),
    Tag("a device", Role.IDENTIFIER, "imei imsi macaddr cookie deviceid ip"),
)

SPECIAL = (
    Tag(
        "health",
        Role.SENSITIVE,
        "disease* diagnos* illness* sickness icd* symptom* treatment* therap* medic* drug* hiv aids disab* handicap* "
        "disorder* comorbid* injur* surger* patholog* health condition conditions pregnan* bmi bloodtype genetic* "
        "genom* dna severity tumor* tumour* cancer* malignan* lesion* biops* metasta* contracept* hospitali* "
        "ασθένει* νόσος νόσημα πάθησ* διάγνωσ* θεραπεί* φάρμακ* αναπηρί* υγεία "
        "krankheit* befund* behinder* gesundheit* maladie* traitement* sante malatti* terapia salute enfermedad* "
        "salud tratamiento*",
    ),
    Tag(ORIGIN, Role.SENSITIVE, "race ethnic* φυλή εθνότητ* εθνικότητ* rasse ethni* etni* raza razza"),
    Tag(
        "political opinions",
        Role.SENSITIVE,
        "politic* politisch* politiqu* party vote votes voting ideolog* πολιτικ* κόμμα ψήφ* partei* parti partito "
        "partido",
    ),
    Tag(
        "religious or philosophical beliefs",
        Role.SENSITIVE,
        "relig* faith church belief* confession konfession* philosoph* θρήσκ* θρησκ* πίστη",
    ),
    Tag(
        "membership in a union or association",
        Role.SENSITIVE,
        "union unions unionmember* tradeunion* membership association συνδικ* σωματεί* gewerkschaft* syndic* sindac* "
        "sindicat*",
    ),
    Tag("sex life", Role.SENSITIVE, "sexual* orientation sexlife σεξουαλ* ερωτικ* sexuell* sexuel* sessual*"),
    Tag(
        "criminal prosecutions or convictions",
        Role.SENSITIVE,
        "crime* criminal* convict* offence* offense* arrest* prosecut* felony prison* αδίκημα έγκλημα "
        "καταδίκ* ποινικ* straftat* vorstraf* delit condamn* reato delito*",
    ),
    Tag("social welfare", Role.SENSITIVE, "welfare benefit* subsid* επίδομα πρόνοια sozialhilfe assistance foodstamp*"),
    Tag(
        "financial status",
        Role.SENSITIVE,
        "income* salar* wage* earning* debt* loan* credit balance wealth pension* saving savings expenditure* expend "
        "spending "
        "εισόδημα μισθ* αποδοχές χρέ* δάνει* gehalt* einkommen* lohn* schulden revenu* salaire* reddito stipendio "
        "ingreso* sueldo",
    ),
)

KNOWABLE = (
    Tag("age", Role.QUASI_IDENTIFIER, "age ages ηλικί* alter edad eta agegroup ageband"),
    Tag("sex", Role.QUASI_IDENTIFIER, "sex gender φύλο geschlecht sexe genre sesso genere sexo genero"),
    Tag(
        "a postal code",
        Role.QUASI_IDENTIFIER,
        "zip* postal* postcode* τκ tk ταχυδρομικ* ταχ plz postleitzahl codepostal cap cp codigopostal",
    ),
    Tag(
        "a place",
        Role.QUASI_IDENTIFIER,
        "city town village county district region* province state states country countries municipality neighborhood "
        "neighbourhood location place residence latitude longitude lat lon lng πόλη χώρα νομός δήμος περιφέρει* "
        "περιοχή τόπος stadt ort land bezirk bundesland gemeinde ville pays departement commune citta paese provincia "
        "comune regione ciudad pais municipio",
    ),
    Tag(
        "a birth or other date",
        Role.QUASI_IDENTIFIER,
        "birth* dob yob born dateofbirth γέννησ* γεννήσ* γεννηθ* geburt* geboren naissance nascita nacimiento date "
        "dates datum fecha ημερομηνί* ημνια year month yearofbirth έτος μήνας jahr annee anno",
    ),
    Tag(
        "nationality",
        Role.QUASI_IDENTIFIER,
        "nationalit* citizen* υπηκοότητα ιθαγένεια staatsangehorig* cittadinanza nacionalidad nazionalita language* "
        "γλώσσα sprache langue lingua idioma",
    ),
    Tag(
        "family circumstances",
        Role.QUASI_IDENTIFIER,
        "marital* married marriage spouse relationship family household* children child kids civilstatus "
        "maritalstatus οικογενειακ* τέκνα παιδιά familienstand kinder etatcivil enfants statocivile figli estadocivil "
        "hijos",
    ),
    Tag(
        "education",
        Role.QUASI_IDENTIFIER,
        "education* school degree εκπαίδευσ* μόρφωσ* σπουδ* bildung* schule istruzione educacion etudes",
    ),
    Tag(
        "employment",
        Role.QUASI_IDENTIFIER,
        "job* occupation* profession* employ* work workclass company επάγγελμα εργασία εργοδότ* beruf* arbeit* emploi "
        "metier lavoro professione ocupacion trabajo",
    ),
    Tag(
        "a personal characteristic",
        Role.QUASI_IDENTIFIER,
        "height weight eye eyes hair ύψος βάρος grosse gewicht taille poids altezza peso altura",
    ),
)

MASKED = ("a postal code", "a phone number")
"""Codes that are hidden character by character."""

NUMBERS = Tag(
    "a number given to each record",
    Role.IDENTIFIER,
    "id ids uuid guid key identifier number num nr no index row record rowid κωδικός αριθμός α/α",
)
PERSONS = Tag(
    "a person",
    Role.IDENTIFIER,
    "person* patient* customer* client* user* member* employee* student* subject* citizen* voter* participant* "
    "ασθεν* πελάτ* kunde* mitarbeiter* cliente* first last full given family middle maiden father* mother* "
    "husband* wife",
)
FREE_TEXT = Tag(
    "free text",
    Role.IDENTIFIER,
    "note notes comment* remark* memo freetext text texts description* narrative* story σχόλι* παρατηρήσεις σημειώσεις "
    "περιγραφή bemerkung* kommentar* notiz* beschreibung* commentaire* remarque* commento* commenti osservazion* "
    "comentario* observacion* nota notas",
)
NAME = Tag("a name", Role.IDENTIFIER, "name names nom nome όνομα")


def tokens_of(name: str) -> tuple[str, ...]:
    """Return the words of a column name, without case, accents and digits.

    Examples
    --------
    >>> tokens_of("patientName2"), tokens_of("Ημερομηνία γέννησης")
    (('patient', 'name'), ('ημερομηνια', 'γεννησησ'))
    """
    spaced = re.sub(r"(?<=[^\W\d_])(?=[A-ZΑ-Ω][^\W\d_A-ZΑ-Ω])|(?<=[a-zα-ω])(?=[A-ZΑ-Ω])", " ", name)
    return tuple(re.findall(r"[^\W\d_]+", _plain(spaced)))


def find_tag(tokens: tuple[str, ...], tags: tuple[Tag, ...]) -> Tag | None:
    """Return the first tag that a column name suggests."""
    return next((tag for tag in tags if tag.names(tokens)), None)


def _plain(text: str) -> str:
    parts = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in parts if not unicodedata.combining(letter))
