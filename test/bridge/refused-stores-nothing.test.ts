import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/json.ts';
import { startTestBridge } from '../support/bridge.ts';
import { forSuite } from '../support/lifetimes.ts';
import { replace, toGroup, toPatch, toUser } from '../support/provider.ts';

/** Parameters that no answer can be made with. */
const parameters = ['attributes', 'excludedAttributes'].map(
  (name) => `${name}=${Array(1_001).fill('title').join()}`,
);

const bridge = forSuite(() => startTestBridge());

async function list(type: string): Promise<JsonObject[]> {
  return await bridge.list(`/${type}?count=100`);
}

for (const query of parameters) {
  const name = query.split('=', 1)[0];

  test(`a POST whose ${name} cannot be read creates nobody and nothing`, async () => {
    const before = [await list('Users'), await list('Groups')];

    const answers = [
      await bridge.request('POST', `/Users?${query}`, toUser('nobody')),
      await bridge.request('POST', `/Groups?${query}`, toGroup('Nothing')),
    ];

    expect(answers.map(({ status }) => status)).toEqual([400, 400]);
    expect([await list('Users'), await list('Groups')]).toEqual(before);
  });

  test(`a PUT or PATCH whose ${name} cannot be read changes nothing`, async () => {
    const ada = await bridge.addUser(`ada-${name}`);
    const pilots = await bridge.addGroup(`Pilots ${name}`);
    const before = [await list('Users'), await list('Groups')];
    const patch = toPatch(replace('displayName', 'Other'));

    const answers = [
      await bridge.request('PUT', `/Users/${ada}?${query}`, toUser('other')),
      await bridge.request('PATCH', `/Users/${ada}?${query}`, patch),
      await bridge.request('PUT', `/Groups/${pilots}?${query}`, toGroup('Other', [ada])),
      await bridge.request('PATCH', `/Groups/${pilots}?${query}`, patch),
    ];

    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400]);
    expect([await list('Users'), await list('Groups')]).toEqual(before);
  });
}

test('304 carries the ETag that the next question is asked with', async () => {
  const ada = await bridge.addUser('ada');
  const pilots = await bridge.addGroup('Pilots', [ada]);
  for (const path of [`/Users/${ada}`, `/Groups/${pilots}`]) {
    const { etag } = (await bridge.send('GET', path)).headers;

    const held = await bridge.request('GET', path, undefined, { 'if-none-match': String(etag) });

    expect(held).toMatchObject({ status: 304, headers: { etag }, text: '' });
  }
});
