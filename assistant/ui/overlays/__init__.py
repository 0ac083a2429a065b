"""What is drawn onto the table: frozen data in millimetres, and one item class that draws each kind."""
