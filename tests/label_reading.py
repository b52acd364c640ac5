"""Published intervals and sets, read as a person would read them."""


def stands_for(label: str | None, value: str | None) -> bool:
    """Say whether a label that is no label of a hierarchy may stand for a value."""
    if label is None or value is None:
        return label == value
    if label == "not missing":
        return True
    if label.startswith("{"):
        return value in label[1:-1].split(", ")
    return label == value or _holds(label, float(value))


def _holds(label: str, number: float) -> bool:
    if label.startswith("<"):
        return number < float(label[1:])
    if label.startswith(">="):
        return number >= float(label[2:])
    label = label.partition(" (mean ")[0]
    if label[:1] not in ("[", "("):
        return False
    low, high = label[1:-1].split(" to ") if " to " in label else label[1:-1].split("-")
    above = float(low) < number if label.startswith("(") else float(low) <= number
    return above and (number <= float(high) if label.endswith("]") else number < float(high))
