import { describe, expect, test } from 'vitest';
import { startTestBridge } from '../support/bridge.ts';
import { forSuite } from '../support/lifetimes.ts';
import { replace, toPatch } from '../support/provider.ts';

const ADMINS = 'urn:ietf:params:scim:schemas:extension:workmanagement:2.0:Group:admins';

const bridge = forSuite(() => startTestBridge());

async function readTag(path: string): Promise<string> {
  return String((await bridge.send('GET', path)).headers.etag);
}

async function isUnchanged(path: string, tag: string): Promise<boolean> {
  const answer = await bridge.request('GET', path, undefined, { 'if-none-match': tag });
  return answer.status === 304;
}

describe('the ETag of a group changes with', () => {
  const rename = toPatch(replace('userName', 'renamed@example.com'));
  const cases = [
    ['the name of a member', 'members', 'PATCH', rename],
    ['the name of an admin', 'admins', 'PATCH', rename],
    ['a deleted member', 'members', 'DELETE', undefined],
    ['a deleted admin', 'admins', 'DELETE', undefined],
  ] as const;

  test.each(cases)('%s', async (why, list, method, body) => {
    const user = await bridge.addUser(why.replaceAll(' ', '-'));
    const group = await bridge.addGroup(why, list === 'members' ? [user] : []);
    if (list === 'admins') {
      const add = toPatch({ op: 'add', path: ADMINS, value: [{ value: user }] });
      await bridge.send('PATCH', `/Groups/${group}`, add);
    }
    const tag = await readTag(`/Groups/${group}`);
    expect(await isUnchanged(`/Groups/${group}`, tag)).toBe(true);

    await bridge.send(method, `/Users/${user}`, body);

    expect(await isUnchanged(`/Groups/${group}`, tag)).toBe(false);
    if (method !== 'DELETE') await bridge.send('DELETE', `/Users/${user}`);
  });
});

test('the ETag of a group stays with what it does not show of a member', async () => {
  const user = await bridge.addUser('steady');
  const group = await bridge.addGroup('Steady', [user]);
  const tag = await readTag(`/Groups/${group}`);

  const change = toPatch(replace('title', 'Pilot'));
  await bridge.send('PATCH', `/Users/${user}`, change);

  expect(await isUnchanged(`/Groups/${group}`, tag)).toBe(true);
});

test('the ETag of a user changes with its groups and their names, and a write that names an older one is refused', async () => {
  const user = await bridge.addUser('joining');
  const tags = [await readTag(`/Users/${user}`)];
  const group = await bridge.addGroup('Joined', [user]);
  tags.push(await readTag(`/Users/${user}`));
  const rename = toPatch(replace('displayName', 'Renamed'));
  await bridge.send('PATCH', `/Groups/${group}`, rename);
  tags.push(await readTag(`/Users/${user}`));
  const change = toPatch(replace('title', 'Pilot'));
  const write = (tag: string | undefined) =>
    bridge.request('PATCH', `/Users/${user}`, change, { 'if-match': String(tag) });

  expect(new Set(tags).size).toBe(3);
  expect((await write(tags[1])).status).toBe(412);
  expect((await write(tags[2])).status).toBe(200);
});

describe('If-None-Match stops a write', () => {
  test.each(['*', 'of this version'])('where it excludes the version: %s', async (excluded) => {
    const user = await bridge.addUser(`excluded-${excluded.length}`);
    const group = await bridge.addGroup(`Excluded ${excluded}`, [user]);
    for (const path of [`/Users/${user}`, `/Groups/${group}`]) {
      const { body } = await bridge.send('GET', path);
      const tag = await readTag(path);
      const patch = toPatch(replace('displayName', 'Other'));
      const bodies = { PUT: { ...body, displayName: 'Other' }, PATCH: patch, DELETE: undefined };
      for (const [method, sent] of Object.entries(bodies)) {
        const answer = await bridge.request(method, path, sent, {
          'if-none-match': excluded === '*' ? '*' : tag,
        });
        expect({ method, path, status: answer.status }).toEqual({ method, path, status: 412 });
      }
      expect((await bridge.send('GET', path)).body).toEqual(body);
    }
  });

  test('but not one of another version', async () => {
    const user = await bridge.addUser('other-version');
    const patch = toPatch(replace('title', 'Pilot'));

    const answer = await bridge.request('PATCH', `/Users/${user}`, patch, {
      'if-none-match': 'W/"999"',
    });

    expect(answer.status).toBe(200);
  });
});
