/** The command line, from the project's folder: as it is built where that was done before the tests, or its sources. */
export const program = process.env.BRIDGE_PROGRAM ?? 'src/cli/bin.mjs';
