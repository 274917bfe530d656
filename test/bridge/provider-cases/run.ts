import { parseProviderCases, runCase } from './run-case.ts';

// node test/bridge/provider-cases/run.ts <SCIM base URL> <token> [case id …]
const [baseUrl, token, ...ids] = process.argv.slice(2);
if (baseUrl === undefined || token === undefined) {
  console.error(
    'usage: npx node test/bridge/provider-cases/run.ts <SCIM base URL> <token> [case id …]',
  );
  process.exit(2);
}
const cases = parseProviderCases().filter(({ id }) => ids.length === 0 || ids.includes(id));
let failed = 0;
for (const providerCase of cases) {
  const failure = await runCase(providerCase, { baseUrl: baseUrl.replace(/\/$/, ''), token });
  if (failure === undefined) {
    console.log(`✓ ${providerCase.id} ${providerCase.name}`);
  } else {
    failed += 1;
    console.log(`✗ ${failure}`);
  }
}
console.log(`${cases.length - failed} of ${cases.length} cases passed`);
process.exitCode = failed === 0 ? 0 : 1;
