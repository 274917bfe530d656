import { expect, test } from 'vitest';
import { bridgeForTest } from '../support/bridge.ts';
import { runner } from '../support/command.ts';
import { toPatch, toUser } from '../support/provider.ts';
import { makeProvider } from '../support/walled.ts';

async function traceable() {
  const bridge = await bridgeForTest();
  return {
    bridge,
    trace: (body = {}) => bridge.ops('POST', '/providers/default/trace', body),
    listTraced: () => bridge.listOps('/requests?traced=true'),
  };
}

test('a traced provider has each request and answer kept, with values masked and their form shown', async () => {
  const { bridge, trace, listTraced } = await traceable();
  await trace();
  const ada = toUser('ada', { active: 'True', title: 'Ada eq Dr' });
  const created = await bridge.request('POST', '/Users', ada);
  const filter = encodeURIComponent('userName eq "ada@example.com" and title eq Dr');
  await bridge.request('GET', `/Users?count=1&filter=${filter}&of=Ada`);
  await bridge.request(
    'PATCH',
    `/Users/${created.body.id}`,
    toPatch({ op: 'Replace', path: 'emails[type eq "work"].value', value: 'ada@uni.example.org' }),
  );
  await bridge.request('POST', '/Users', 'no JSON of ada@example.com');

  const traced = await listTraced();
  expect(JSON.stringify(traced)).not.toMatch(/ada|uni|example/i);
  const [refused, patched, found, posted] = traced.map(({ exchange }) => exchange);
  expect(posted).toMatchObject({
    query: '',
    body: {
      schemas: ada.schemas,
      userName: 'a•••@e•••.com',
      active: 'True',
      title: 'A••• e••• D•••',
    },
    answer: { id: created.body.id, userName: 'a•••@e•••.com', active: true },
  });
  expect(found).toMatchObject({
    query: 'count=1&filter=userName eq "a•••@e•••.c•••" and title eq D•••&of=A•••',
    body: null,
    answer: { totalResults: 0, Resources: [] },
  });
  expect(patched).toMatchObject({
    body: { Operations: [{ op: 'Replace', path: 'emails[type eq "w•••"].value' }] },
  });
  expect(refused).toMatchObject({ body: 'n••• J••• o••• a•••@e•••.com' });
});

test('words without quotes, letters with marks, short last words and passwords are masked too', async () => {
  const { bridge, trace, listTraced } = await traceable();
  await trace();
  const secret = { password: '#-9!' };
  const ada = toUser('ada', { displayName: 'अदा लवलेस', nickName: 'A.Lee', ...secret });
  await bridge.request('POST', '/Users', ada);
  const change = toPatch({ op: 'replace', path: 'password', value: secret.password });
  await bridge.request('PATCH', '/Users/x', change);
  const filter =
    'displayName eq Ada Byron Le and (emails[type eq work].value eq Lee or not title pr)';
  await bridge.request('GET', `/Users?filter=${encodeURIComponent(filter)}`);

  const traced = await listTraced();
  expect(JSON.stringify(traced)).not.toMatch(/दा|Byron|Le\b|Lee|#/);
  const shown =
    'displayName eq A••• B••• L••• and (emails[type eq w•••].value eq L••• or not title pr)';
  expect(traced[0]?.exchange).toMatchObject({ query: `filter=${shown}` });
});

test('without a trace, of another provider and after its end nothing is kept', async () => {
  const { bridge, trace, listTraced } = await traceable();
  const okta = await makeProvider(bridge, 'okta');
  await bridge.request('GET', '/Users');
  await trace({ minutes: 10 });
  await okta.addUser('bea');
  await trace({ minutes: 0 });
  await bridge.addUser('ada');

  expect(await listTraced()).toEqual([]);
});

test('a list is kept with its first entries and the number of the others', async () => {
  const { bridge, trace, listTraced } = await traceable();
  await trace();
  const values = Array.from({ length: 40 }, (_, index) => ({ value: `p${index}@example.com` }));
  await bridge.request('POST', '/Users', toUser('ada', { emails: values }));

  const [{ exchange } = {}] = await listTraced();
  const { body } = Object(exchange);
  expect(body.emails).toHaveLength(6);
  expect(body.emails.at(-1)).toBe('… 35 more');
});

test('the command starts a trace, which is an act and is shown with its provider, and lists what it kept', async () => {
  const { bridge, trace } = await traceable();
  const run = runner(bridge);
  const started = await run('trace', 'default', '--minutes', '5');
  await bridge.request('GET', '/Users?filter=userName%20eq%20%22ada%22');
  const listed = await run('requests', '--traced', '--csv');

  expect(started.err).toBe('');
  expect(started.out).toMatch(/^Requests of default are kept until 20\S+ \S+Z: scim-bridge req/);
  expect(listed.out).toContain('userName eq \\""a•••');
  expect((await run('provider', 'list', '--csv')).out).toMatch(/20\d\d-\S+Z\s*$/);
  expect(await bridge.listOps('/acts')).toMatchObject([
    { act: 'trace', before: { tracedUntil: null }, after: { tracedUntil: expect.any(String) } },
  ]);
  const ended = await run('trace', 'default', '--minutes', '0');
  expect(ended.out).toBe('Requests of default are no longer kept.\n');
  const outside = [-1, 61].map((minutes) => trace({ minutes }));
  const wrong = await Promise.all([...outside, bridge.ops('POST', '/providers/x/trace')]);
  expect(wrong.map(({ status }) => status)).toEqual([400, 400, 404]);
});
