"""The dialects of sttest whose operations are nodes of a design."""

from sttest.core.extensions import Offer

OFFERS = (
    Offer("ops", "df", "sttest.compile.dialects.df:DF"),
    Offer("ops", "sched", "sttest.compile.dialects.sched:SCHED"),
)
