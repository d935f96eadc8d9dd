"""What a call must give: the reference's results, and how far a right one may be from them."""
