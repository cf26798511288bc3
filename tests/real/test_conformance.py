"""The conformance suite's vectors, as they stand, against a true Weaviate."""

from ..lira_core.stores.conformance.test_vectors import *  # noqa: F403
