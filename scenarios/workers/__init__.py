"""Many calls at a time: cores, worker processes here or elsewhere, who may work."""
