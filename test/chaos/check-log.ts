/** Lines of the level `error` that follow from what is done to the bridge. */
const EXPECTED: readonly RegExp[] = [
  // Whether the store was restored is asked again until the service answers.
  /"job":"recovery"/,
];
/** And from a database server that goes away. */
const STORE_AWAY = [
  /"name":"StoreError","message":"PostgreSQL: (the connection|store-unavailable)/,
  /"code":"store-(unavailable|unsure)","msg":"the store cannot be used"/,
  // In the end the leases of sweeps are ended for them.
  /another process goes on with this sweep/,
];

/** What was done to the processes whose log it is. */
interface LogFacts {
  readonly hasPostgres: boolean;
}

/** What the processes logged as errors, and nobody expects. */
export function listLogFindings(output: string, { hasPostgres }: LogFacts): string[] {
  const expected = hasPostgres ? [...EXPECTED, ...STORE_AWAY] : EXPECTED;
  const lines = output
    .split('\n')
    .filter((line) => /"level":("error"|"fatal"|50|60)/.test(line))
    .filter((line) => !expected.some((pattern) => pattern.test(line)));
  // Every call was written down before it left, so a crash never looks like a restored backup.
  const isStale = output.includes('"phase":"stale"');
  return [
    ...new Set(lines.map((line) => `logged: ${line}`)),
    ...(isStale ? ['a crash looked like a restored backup'] : []),
  ];
}
