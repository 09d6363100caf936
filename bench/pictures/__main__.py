"""Draws the pictures of the benchmark pages from the tables that stand there: `python3 bench/pictures`.

Nothing is measured. The list of them is drawn.py; a test compares what is stored with what the tables give.
"""

from drawn import PICTURES, ROOT


def main():
    for picture in PICTURES:
        path = ROOT / picture.path
        drawn = picture.draw()
        if not path.exists() or path.read_text() != drawn:
            path.write_text(drawn)
            print(picture.path)


if __name__ == "__main__":
    main()
