"""The release dossier: what a publisher documents about a release, as frozen values."""

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

NOTHING = ("", "~", "null")
"""How people write that they have nothing to say; the YAML loader leaves all of them as text."""


def _is_said(value: object) -> bool:
    return value is not None and not (isinstance(value, str) and value.strip() in NOTHING)


def _trimmed(value: object) -> object:
    if not isinstance(value, str):
        return value
    try:
        value.encode()
    except UnicodeEncodeError as error:  # half of a character, which no file can hold
        raise ValueError(f"expected text, got a broken character at position {error.start + 1}") from None
    return value.strip()


def _said(value: object) -> object:
    return [entry for entry in value if _is_said(entry)] if isinstance(value, list | tuple) else value


def _word(value: object) -> object:
    """Return a word of a vocabulary in its usual spelling."""
    text = _trimmed(value)
    return text.lower().replace("-", "_").replace(" ", "_") if isinstance(text, str) else text


def _code(value: object) -> object:
    text = _trimmed(value)
    return text.upper() if isinstance(text, str) else text


Text = Annotated[str, BeforeValidator(_trimmed)]
Texts = Annotated[tuple[Text, ...], BeforeValidator(_said)]
Word = Annotated[str, BeforeValidator(_word)]
Words = Annotated[tuple[Word, ...], BeforeValidator(_said)]
Country = Annotated[str, BeforeValidator(_code)]
Countries = Annotated[tuple[Country, ...], BeforeValidator(_said)]


class DossierPart(BaseModel):
    """A frozen piece of a dossier; an unknown key is an error, a key without a value is as if left out."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _drop_what_is_not_said(cls, value: object) -> object:
        return {key: said for key, said in value.items() if _is_said(said)} if isinstance(value, dict) else value


class Controller(DossierPart):
    """Who decides why and how the data is processed."""

    name: Text = Field(default="", title="Controller", description="who decides why and how the data is processed")
    representative: Text = Field(default="", title="Representative", description="who acts for the controller, if any")
    contact: Text = Field(default="", title="Contact", description="how to reach the controller")
    data_protection_officer: Text = Field(
        default="", title="Data protection officer", description="how to reach the officer, if there is one"
    )


class Consent(DossierPart):
    """What the consent of the subjects is like, if there is one."""

    free: bool = Field(default=False, title="free", description="given without pressure")
    specific: bool = Field(default=False, title="specific", description="for named data, purpose and controller")
    explicit: bool = Field(default=False, title="explicit", description="clearly expressed")
    informed: bool = Field(default=False, title="informed", description="after the controller informed the subject")
    written: bool = Field(default=False, title="written", description="given in writing")


class NotedRun(DossierPart):
    """A run of the project, as its audit log has it."""

    run: Text = ""
    began: Text = ""
    who: Text = ""
    action: Text = ""
    plan_sha256: Text = ""
    data: Text = ""
    data_sha256: Text = ""
    outcome: Text = ""
    release_id: Text = ""
    verdicts: Texts = ()

    @property
    def text(self) -> str:
        """The run as one line."""
        found = [self.began[:19].replace("T", " "), self.who, self.action, self.outcome, *self.verdicts]
        sums = [f"plan {self.plan_sha256[:12]}", f"data {self.data} {self.data_sha256[:12]}".strip()]
        return ", ".join(one for one in (*found, *sums) if one)


class Anonymization(DossierPart):
    """What was done to the data; the run fills it in."""

    model: Text = Field(default="", description="names of the models that are promised")
    parameters: dict[str, dict[str, Any]] = Field(default_factory=dict, description="parameters of each promise")
    achieved: dict[str, float | None] = Field(default_factory=dict, description="the level the checker found")
    algorithm: Text = ""
    attribute_roles: dict[str, str] = Field(default_factory=dict)
    risk_before: dict[str, float | None] = Field(default_factory=dict)
    risk_after: dict[str, float | None] = Field(default_factory=dict)
    information_loss: dict[str, float | None] = Field(default_factory=dict)
    remarks: Texts = ()
    tool_version: Text = ""
    release_id: Text = ""
    date: Text = ""
    runs: tuple[NotedRun, ...] = Field(default=(), description="all runs of the project, this one with them")
    audit_log_sha256: Text = Field(default="", description="the checksum of the audit log after this run")

    @property
    def is_filled(self) -> bool:
        """Whether it says what is promised, how it was done, with what and when."""
        return all((self.model, self.algorithm, self.tool_version, self.date))


class Dossier(DossierPart):
    """What a publisher documents about a release, under a legal profile. It is no legal advice.

    Examples
    --------
    >>> dossier = Dossier(profile="eu-gdpr", purpose="research on asthma ", recipient_countries=["gr"], retention="")
    >>> dossier.purpose, dossier.recipient_countries, dossier.retention
    ('research on asthma', ('GR',), '')
    """

    profile: Text = Field(title="Legal profile", description="the rules that apply")
    controller: Controller = Field(default=Controller(), description="who decides why and how the data is processed")
    purpose: Text = Field(default="", title="Purpose", description="what the data is published for")
    compatible_purposes: Texts = Field(
        default=(), title="Compatible purposes", description="further purposes that are compatible with it"
    )
    legal_basis: Word = Field(default="", title="Legal basis", description="why the processing is lawful")
    legal_provision: Text = Field(
        default="", title="Legal provision", description="the law that the basis or an exemption rests on, if one does"
    )
    interest_pursued: Text = Field(
        default="", title="Interest pursued", description="which interest, if the basis is a legitimate interest"
    )
    consent: Consent = Field(
        default=Consent(), title="Consent", description="what the consent of the subjects is like, if there is one"
    )
    data_subjects: Texts = Field(
        default=(), title="Subjects", description="whom the data is about, such as patients of a hospital"
    )
    data_categories: Texts = Field(default=(), title="Categories of data", description="what kinds of data there are")
    sensitive_categories: Words = Field(
        default=(), title="Sensitive categories", description="the categories that the law protects more"
    )
    exemptions: Words = Field(
        default=(), title="Exemptions", description="why sensitive categories may be processed, by the words of the law"
    )
    authority_permit: Text = Field(
        default="", title="Permit of the authority", description="number and date of the permit, if there is one"
    )
    authority_notification: Text = Field(
        default="", title="Notification of the authority", description="number and date of the notification"
    )
    recipients: Texts = Field(default=(), title="Recipients", description="who gets the data, or which kinds of them")
    recipient_countries: Countries = Field(
        default=(), title="Countries of recipients", description="two-letter codes, such as [GR, DE]"
    )
    transfer_safeguards: dict[Country, Word] = Field(
        default_factory=dict,
        title="Safeguards of transfers",
        description="what protects the data in a country without adequate protection, such as {IN: …}",
    )
    retention: Text = Field(default="", title="Retention", description="how long the data is kept")
    security_measures: Texts = Field(
        default=(), title="Security measures", description="what protects the data at the publisher's"
    )
    data_origin: Text = Field(default="", title="Origin of the data", description="where the data comes from")
    processing_methods: Texts = Field(default=(), title="Processing", description="what is done with the data")
    access_right_procedure: Text = Field(
        default="", title="Access", description="how a subject asks for access, correction or erasure"
    )
    impact_assessment: Text = Field(
        default="",
        title="Impact assessment",
        description="the data protection impact assessment: where it lies, or why none is needed",
    )
    anonymisation: Anonymization = Field(
        default=Anonymization(), title="Anonymization", description="what was done to the data"
    )
