"""What the manifests of published axioms and of tables with dependencies say that the method guarantees."""

GUARANTEE = (
    "No secret follows, by the rules of the language, from the published axioms together with those that were given as "
    "public. That axioms were removed may show, and likely conclusions are not prevented."
)
LEFT_OUT = (
    "Axioms outside of the language were left out; what follows with those of them that are public is not prevented."
)
DEPENDENCY_GUARANTEE = (
    "No blank cell of a sensitive column follows, by the stated rules, from the published cells. That cells are blank "
    "shows, and likely conclusions are not prevented."
)


def inference_guarantee(*, is_complete: bool) -> str:
    """Return what is guaranteed where all axioms were considered, or some lie outside of the language.

    Examples
    --------
    >>> inference_guarantee(is_complete=False).endswith("is not prevented.")
    True
    """
    return GUARANTEE if is_complete else f"{GUARANTEE} {LEFT_OUT}"


def is_inference_guarantee(text: str) -> bool:
    """Say whether a text is what such a manifest may say, or nothing.

    Examples
    --------
    >>> is_inference_guarantee(GUARANTEE), is_inference_guarantee("Nobody can be identified.")
    (True, False)
    """
    return text in ("", *(inference_guarantee(is_complete=each) for each in (True, False)))
