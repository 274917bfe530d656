import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { startTestBridge, type TestBridge } from '../../support/bridge.ts';
import { describeFailure } from './describe-failure.ts';
import { parseProviderCases } from './provider-case.ts';
import { runCase } from './run-case.ts';

const cases = parseProviderCases();

test('the file holds all 60 cases', () => {
  expect(cases).toHaveLength(60);
});

/** What the service is like makes no difference to providers: the narrowest is met on one engine, the documented on the other. */
const shape = inject('engine') === 'sqlite' ? 'narrowest' : 'documented';
let bridge: TestBridge | undefined;

beforeAll(async () => {
  bridge = await startTestBridge({ sandbox: { shape } });
});

afterAll(() => bridge?.stop());

test.each(cases)('$id: $name', async (providerCase) => {
  if (bridge === undefined) throw new Error('the bridge was not started');
  const failure = await runCase(providerCase, bridge);
  if (failure) expect.fail(describeFailure(failure));
});
