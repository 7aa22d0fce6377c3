terrawave_cli_cases(config)
