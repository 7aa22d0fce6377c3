terrawave_cli_cases(mesh)
