"""Events, trust and reports around the filter."""
