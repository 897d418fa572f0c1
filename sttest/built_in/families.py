"""The families of decoder blocks of sttest."""

from sttest.core.extensions import Offer

OFFERS = (
    Offer("families", "dense", "sttest.models.families:DENSE"),
    Offer("families", "experts", "sttest.models.experts_family:EXPERT_FAMILY"),
)
