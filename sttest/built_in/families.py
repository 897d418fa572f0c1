"""The families of decoder blocks of sttest."""

from sttest.core.extensions import Offer

OFFERS = (
    Offer("families", "dense", "sttest.models.families:DENSE"),
    Offer("families", "experts", "sttest.models.experts_family:EXPERT_FAMILY"),
    Offer("families", "state-space", "sttest.models.state_space_family:STATE_SPACE"),
    Offer("families", "low-rank", "sttest.models.low_rank_family:LOW_RANK"),
)
