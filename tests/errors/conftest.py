def pytest_addoption(parser):
    parser.addoption(
        "--update-errors", action="store_true", help="write the messages as they are now into the .txt files"
    )
