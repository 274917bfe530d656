import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestBridge, type TestBridge } from '../../support/bridge.ts';
import { describeFailure } from './describe-failure.ts';
import { parseProviderCases } from './provider-case.ts';
import { runCase } from './run-case.ts';

const cases = parseProviderCases();

test('the file holds all 60 cases', () => {
  expect(cases).toHaveLength(60);
});

describe.each(['documented', 'narrowest'] as const)('with the service in its %s shape', (shape) => {
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
});
