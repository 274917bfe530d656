import { expect, inject, test } from 'vitest';
import { bridgeForSuite } from '../../support/bridge.ts';
import { parseProviderCases, runCase } from './run-case.ts';

const cases = parseProviderCases();

test('the file holds all 60 cases', () => {
  expect(cases).toHaveLength(60);
});

/** What the service is like makes no difference to providers: the narrowest is met on one engine, the documented on the other. */
const shape = inject('engine') === 'sqlite' ? 'narrowest' : 'documented';
const bridge = bridgeForSuite({ sandbox: { shape } });

test.each(cases)('$id: $name', async (providerCase) => {
  expect(await runCase(providerCase, bridge)).toBeUndefined();
});
