import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startBridgeOf, type TestBridge } from '../../support/bridge.ts';
import { LIVABLE_SHAPES } from '../../support/other-service/shape.ts';
import { type OtherService, startOtherService } from '../../support/other-service.ts';
import { type BridgeProcess, startBridge } from '../../support/server.ts';
import { describeFailure } from './describe-failure.ts';
import { parseProviderCases } from './provider-case.ts';
import { runCase } from './run-case.ts';

const cases = parseProviderCases();

test('the file holds all 60 cases', () => {
  expect(cases).toHaveLength(60);
});

/** The second round finds what the first one left: cases pass on a store that holds other people. */
const ROUNDS = [{ round: 'first' }, { round: 'second' }];
for (const shape of ['documented', 'narrowest']) {
  describe(`with the service in its ${shape} shape`, () => {
    let folder = '';
    let bridge: BridgeProcess | undefined;

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'scim-bridge-cases-'));
      bridge = await startBridge({ folder, env: { SANDBOX_SHAPE: shape } });
      await bridge.ready();
    });

    afterAll(async () => {
      await bridge?.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    describe.each(ROUNDS)('$round round', () => {
      test.each(cases)('$id: $name', async (providerCase) => {
        if (bridge === undefined) throw new Error('the bridge was not started');
        const failure = await runCase(providerCase, bridge);
        if (failure) expect.fail(`${describeFailure(failure)}\n${bridge.output().slice(-4_000)}`);
      });
    });
  });
}

const others = Object.entries(LIVABLE_SHAPES).slice(1, 2);
for (const [name, shape] of others) {
  describe(`with another service, ${name}`, () => {
    let bridge: TestBridge<OtherService> | undefined;

    beforeAll(async () => {
      bridge = await startBridgeOf(await startOtherService({ shape }));
    });

    afterAll(async () => {
      await bridge?.stop();
      await bridge?.sandbox.stop();
    });

    test.each(cases)('$id: $name', async (providerCase) => {
      if (bridge === undefined) throw new Error('the bridge was not started');
      const failure = await runCase(providerCase, bridge);
      if (failure) expect.fail(describeFailure(failure));
    });
  });
}
