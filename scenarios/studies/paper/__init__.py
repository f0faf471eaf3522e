"""Every table and figure of the paper, made again."""
