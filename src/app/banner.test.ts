import { expect, test } from 'vitest';
import { loadSettings } from '../settings/load.ts';
import { toBanner } from './banner.ts';

const facts = { publicUrl: 'https://scim.example.com', opsUrl: 'http://127.0.0.1:9090' };

for (const { why, env, token } of [
  { why: 'the sandbox', env: {}, token: 'made-at-the-first-start' },
  { why: 'tokens of the settings', env: { SCIM_TOKENS: 'correct-horse-battery' }, token: 'x' },
  { why: 'credentials of the store', env: {}, token: undefined },
]) {
  test(`a start with ${why} tells where providers, health and the console are, and no token that somebody set`, () => {
    const { settings } = loadSettings({ env, readFile: () => '' });

    const text = toBanner({ ...facts, settings, token, operator: undefined });

    expect(text).toContain('SCIM base URL  https://scim.example.com/scim/v2\n');
    expect(text).toContain('Ready when     http://127.0.0.1:9090/readyz says so\n');
    expect(text.match(/^Console .*$/gm)).toEqual(['Console        http://127.0.0.1:9090/console']);
    expect(text).not.toContain('correct-horse-battery');
  });
}
