import { expect, test } from 'vitest';
import { loadSettings } from '../settings/load.ts';
import { createEvents } from '../telemetry/events.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { createSecretWatch } from './secret-watch.ts';

const env = {
  UPSTREAM_URL: 'https://work.example.com',
  UPSTREAM_TOKEN: 'service-1',
  SCIM_TOKENS: 'provider-token-1',
  OPS_TOKEN: 'operators-token-1',
};
const load = (url: string) =>
  loadSettings({ env: { ...env, DATABASE_URL: url }, readFile: () => '' });

test.each([
  ['postgres://bridge:new@db/work', 'postgres://bridge:new@db/work'],
  ['postgres://bridge:old@db/other', 'postgres://bridge:old@db/work'],
  ['sqlite:other.db', 'postgres://bridge:old@db/work'],
])(
  'a running bridge that is told %s uses %s: its store stays, its password may change',
  (told, used) => {
    const events = createEvents({ log: () => undefined }, createMetrics());
    const loaded = load('postgres://bridge:old@db/work');
    const watch = createSecretWatch(loaded, { reload: () => load(told), events });
    watch.reload();

    expect(watch.current().database.url).toBe(used);
  },
);
