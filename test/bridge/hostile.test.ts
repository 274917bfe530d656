import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../src/domain/values.ts';
import { attack, expectRefused, expectScimError, startTarget } from '../support/attack.ts';
import { bridgeForSuite } from '../support/bridge.ts';
import { forSuite } from '../support/lifetimes.ts';
import { OPS_TOKEN } from '../support/operator.ts';
import { admit, expel, replace, toPatch, toUser } from '../support/provider.ts';
import type { RawRequest } from '../support/send-raw.ts';
import { sendRaw } from '../support/send-raw.ts';

const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

const target = forSuite(startTarget);

/** JSON text keeps `__proto__` as a key, which an object literal would not. */
const parse = (text: string): JsonValue => JSON.parse(text) as JsonValue;

describe('bodies', () => {
  const hidden = [
    '{"userName":"eve@example.com","__proto__":{"polluted":true}}',
    `{"userName":"eve@example.com","${enterprise}:__proto__.x":"polluted"}`,
    `{"userName":"eve@example.com","${enterprise}":{"__proto__":{"x":"polluted"}}}`,
    '{"userName":"eve@example.com","constructor":{"prototype":{"polluted":true}}}',
    '{"userName":"eve@example.com","name":{"__proto__":{"polluted":true},"givenName":"Eve"}}',
    '{"userName":"eve@example.com","emails":[{"__proto__":{"polluted":true},"value":"eve@example.com"}]}',
  ];
  for (const text of hidden) {
    test(`names of the language are dropped or refused, never kept: ${text.slice(0, 90)}`, async () => {
      const send = () => target.bridge.request('POST', '/Users', parse(text));
      const answer = await attack(target, send);

      expect([201, 400]).toContain(answer.status);
      expect(answer.text).not.toContain('polluted');
      if (answer.status === 201) await target.bridge.send('DELETE', `/Users/${answer.body.id}`);
    });
  }

  const paths = [
    'emails[__proto__ eq "x"].value',
    '__proto__.polluted',
    'emails[type eq "work"',
    `${'a.'.repeat(20_000)}b`,
    `emails[${'('.repeat(5_000)}type eq "x"${')'.repeat(5_000)}].value`,
  ];
  for (const path of paths) {
    test(`a PATCH path is refused: ${path.slice(0, 60)}`, async () => {
      const add = { op: 'add', path, value: 'polluted' };

      const send = () => target.bridge.tryPatch(`/Users/${target.ada}`, add);
      expectRefused(await attack(target, send));
    });
  }

  test.each(['constructor.prototype.polluted', 'name.shoeSize'])(
    'a PATCH of an attribute that is none changes nothing: %s',
    async (path) => {
      const before = (await target.bridge.send('GET', `/Users/${target.ada}`)).body;
      const add = { op: 'add', path, value: 'polluted' };

      const answer = await target.bridge.patch(`/Users/${target.ada}`, add);

      expect(answer.body).toEqual(before);
      expect(Object.prototype).not.toHaveProperty('polluted');
    },
  );

  test('a value that looks like a filter takes nobody else out of a group', async () => {
    const remove = expel('x" or value pr or value eq "');

    await attack(target, () => target.bridge.tryPatch(`/Groups/${target.pilots}`, remove));

    expect(await target.bridge.readMemberIds(target.pilots)).toEqual([target.ada]);
  });

  const depth = 100_000;
  const array = `${'['.repeat(depth)}${']'.repeat(depth)}`;
  test.each([
    ['objects', `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`],
    ['an array as emails', `{"userName":"e@x.example","emails":${array}}`],
  ])('nesting of 100,000 levels is refused: %s', async (_, body) => {
    expectRefused(await attack(target, () => post(body)));
  });

  for (const encoding of ['gzip', 'deflate', 'br', 'zstd']) {
    test(`a body that is not packed as it says is refused: ${encoding}`, async () => {
      expectRefused(await attack(target, () => post('{}', { 'content-encoding': encoding })));
    });
  }
});

function post(body: NonNullable<RawRequest['body']>, headers: Record<string, string> = {}) {
  return sendRaw(target.bridge, { method: 'POST', path: '/Users', headers, body });
}

/** Nearly as long as a filter may be: what takes more than linear time shows. */
const LENGTH = 9_900;

describe('filters', () => {
  test.each([
    ['__proto__ as an attribute', '__proto__.x pr'],
    ['__proto__ in a value path', 'emails[__proto__ pr]'],
    ['28 line breaks in an open string', `userName eq "${'\n'.repeat(28)}`],
    ['22 groups', Array(22).fill('(a eq 1 or b eq 2)').join(' and ')],
    ['deep parentheses', `${'('.repeat(1_500)}id pr${')'.repeat(1_500)}`],
    ['nested value paths', `${'emails['.repeat(1_000)}id pr${']'.repeat(1_000)}`],
    ['an injection', 'userName eq "x\\" or id pr or userName eq \\""'],
    ['a number out of range', `meta.created gt ${'9'.repeat(400)}`],
    ['wildcards of LIKE', 'userName co "%"'],
    ['line breaks in a text that does not end', `id eq "${'\n'.repeat(LENGTH)}`],
    ['backslashes', `id eq "${'\\'.repeat(LENGTH)}`],
    ['groups', `${'(id pr or id pr) and '.repeat(LENGTH / 21)}id eq "x"`],
    ['a dotted name', `${'a.'.repeat(LENGTH / 2)}a pr`],
    ['a dotted name that is malformed', `${'a.'.repeat(LENGTH / 2)} pr`],
    ['opening parentheses', '('.repeat(LENGTH)],
    ['white space', `id${' '.repeat(LENGTH)}eq "x"`],
    ['digits', `id eq ${'1'.repeat(LENGTH)}e`],
  ])('%s', async (_, filter) => {
    const query = new URLSearchParams({ filter });

    expectRefused(await attack(target, () => target.bridge.request('GET', `/Users?${query}`)));
    expectRefused(await attack(target, () => target.bridge.request('GET', `/Groups?${query}`)));
  });

  // No query can be that long: Node refuses such a request line itself.
  test.each([
    ['a dotted path', `${'a.'.repeat(50_000)}b pr`],
    ['comparisons', Array(6_000).fill('id pr').join(' and ')],
    ['parentheses', '('.repeat(100_000)],
    ['backslashes', `userName eq "${'\\'.repeat(100_000)}`],
  ])('100,000 characters of %s are refused', async (_, filter) => {
    const search = () => target.bridge.request('POST', '/Users/.search', { filter });

    const refused = { status: 400, body: { scimType: 'invalidFilter' } };
    expect(await attack(target, search)).toMatchObject(refused);
  });
});

describe('texts that take quadratic time to look through', () => {
  test('an address with quotes that do not close, of a stranger', async () => {
    const path = `/Users?filter=+${'%5c%22'.repeat(6_500)}`;
    const headers = { authorization: undefined };
    const send = () => sendRaw(target.bridge, { method: 'GET', path, headers });
    const sendSome = async () => {
      for (let others = 4; others > 0; others -= 1) await send();
      return send();
    };

    expect((await attack(target, sendSome)).status).toBe(401);
  });

  test.each([' ', '['])('a path of a bulk request that is made of %j', async (sign) => {
    const data = toPatch({ op: 'add', path: sign.repeat(100_000), value: 'a' });
    const Operations = [{ method: 'PATCH', path: `/Groups/${target.pilots}`, data }];

    const send = () => target.bridge.request('POST', '/Bulk', { Operations });
    expect((await attack(target, send)).body).toMatchObject({ Operations: [{ status: '400' }] });
  });

  test.each([
    ['brackets in the name of a column', `userName,${'['.repeat(90_000)}\nada,1\n`],
    ['empty lines', `${'\n'.repeat(5_000_000)}userName\nada\n`],
  ])('an export of %s', async (_, body) => {
    const path = new URL('/ops/census', target.bridge.baseUrl).href;
    const headers = { authorization: `Bearer ${OPS_TOKEN}`, 'content-type': 'text/csv' };

    const send = () => sendRaw(target.bridge, { method: 'POST', path, headers, body });
    expect(await attack(target, send)).toMatchObject({ status: 200, body: { entries: 1 } });
  });
});

const NUL = 'a\u0000b';
const HALF = 'a\uD800';
/** Not of one letter: an index packs what repeats itself. */
const LONG = Array.from({ length: 1_200 }, (_, index) => `${index}~`).join('');
/** 300 characters, each three when it is compared without case, and twelve bytes then. */
const GROWING = '\u{1D160}'.repeat(150);
const MARKS = `a${'\u0301\u0323'.repeat(16)}`;
/** As long as it may be, of characters of three bytes. */
const ALLOWED = Array.from({ length: 512 }, (_, index) =>
  String.fromCodePoint(0x4e00 + index),
).join('');

describe('texts of strangers', () => {
  const bridge = bridgeForSuite();
  let count = 0;

  async function addTarget() {
    count += 1;
    const login = `ada${count}`;
    const ada = await bridge.addUser(login);
    return { login, ada, pilots: await bridge.addGroup(`Pilots ${count}`, [ada]) };
  }

  test('an id that nobody has is 404, whatever it is made of', async () => {
    const bodies = {
      PUT: toUser('bob', { displayName: 'Bob' }),
      PATCH: toPatch(replace('displayName', 'Bob')),
      GET: undefined,
      DELETE: undefined,
    };
    for (const id of ['nobody', 'a%00b', '%EF%BF%BF', encodeURIComponent(LONG)]) {
      for (const [method, body] of Object.entries(bodies)) {
        for (const type of ['Users', 'Groups'])
          expectScimError(await bridge.request(method, `/${type}/${id}`, body), 404);
      }
    }
  });

  test('a filter is answered or refused', async () => {
    const names = ['id', 'userName', 'externalId', 'displayName', 'emails.value', 'groups.value'];
    const wants = { [NUL]: 400, [HALF]: 400, [MARKS]: 400, [LONG]: 200, [GROWING]: 200 };
    for (const name of names) {
      for (const [value, want] of Object.entries(wants)) {
        for (const text of [JSON.stringify(value), ...(name === 'userName' ? [value] : [])]) {
          const filter = `${name} eq ${text}`;
          const { status } = await bridge.request('POST', '/Users/.search', { filter });
          expect({ name, status }).toEqual({ name, status: want });
        }
      }
    }
  });

  const names = ['userName', 'displayName', 'externalId', 'emails'] as const;
  const toValue = (name: string, text: string) =>
    name === 'emails' ? [{ value: text, type: 'work' }] : text;

  for (const [what, text] of Object.entries({ NUL, HALF, LONG })) {
    test(`what is looked up by an index is not ${what}`, async () => {
      const { ada, pilots, login } = await addTarget();
      const before = await bridge.send('GET', `/Users/${ada}`);
      for (const name of names) {
        const change = { [name]: toValue(name, text) };
        const post = { method: 'POST', path: '/Users', bulkId: 'a', data: toUser('b', change) };
        const answers = [
          await bridge.request('POST', '/Users', toUser('bob', change)),
          await bridge.request('PUT', `/Users/${ada}`, toUser(login, change)),
          await bridge.tryPatch(`/Users/${ada}`, replace(name, toValue(name, text))),
        ];
        const statuses = answers.map(({ status }) => status);
        expect({ name, statuses }).toEqual({ name, statuses: [400, 400, 400] });
        const { body } = await bridge.send('POST', '/Bulk', { Operations: [post] });
        expect(body).toMatchObject({ Operations: [{ status: '400' }] });
      }
      for (const name of ['displayName', 'externalId']) {
        const group = { displayName: 'Other', [name]: text };
        const path = `/Groups/${pilots}`;
        expect((await bridge.request('POST', '/Groups', group)).status).toBe(400);
        expect((await bridge.request('PUT', path, group)).status).toBe(400);
        expect((await bridge.tryPatch(path, replace(name, text))).status).toBe(400);
      }
      expect((await bridge.send('GET', `/Users/${ada}`)).body).toEqual(before.body);
    });
  }

  test('the longest that is allowed is kept and found again', async () => {
    const { ada, login } = await addTarget();
    // The account is known by the first, which has to be an address.
    const own = { value: `${login}@example.com`, type: 'work' };
    const emails = [own, { value: ALLOWED, type: 'other' }];
    const change = { externalId: ALLOWED, displayName: ALLOWED, userName: ALLOWED, emails };
    await bridge.send('PUT', `/Users/${ada}`, toUser(login, change));
    for (const name of ['externalId', 'displayName', 'userName', 'emails']) {
      const filter = `${name} eq "${ALLOWED}"`;
      const { body } = await bridge.send('POST', '/Users/.search', { filter });
      expect({ name, total: body.totalResults }).toEqual({ name, total: 1 });
    }
  });

  test('members whom nobody could be are refused, or not there to be removed', async () => {
    const { pilots } = await addTarget();
    for (const value of [NUL, HALF, LONG, GROWING]) {
      expect((await bridge.tryPatch(`/Groups/${pilots}`, admit(value))).status).toBe(400);
      const path = `members[value eq ${JSON.stringify(value)}]`;
      const remove = await bridge.tryPatch(`/Groups/${pilots}`, { op: 'remove', path });
      expect([204, 400]).toContain(remove.status);
      const bulk = { method: 'DELETE', path: `/Users/${value}` };
      const { body } = await bridge.send('POST', '/Bulk', { Operations: [bulk] });
      expect(JSON.stringify(body)).toMatch(/"status":"40[04]"/);
    }
  });

  test('a client or a token that nobody could have is unknown', async () => {
    const path = new URL('/oauth/token', bridge.baseUrl).href;
    const type = 'application/x-www-form-urlencoded';
    for (const text of ['%00', `secret-${encodeURIComponent(GROWING)}`, 'secret-%00_x']) {
      const form = `grant_type=client_credentials&client_id=${text}&client_secret=${text}`;
      const headers = { authorization: undefined, 'content-type': type };
      const asked = await sendRaw(bridge, { method: 'POST', path, headers, body: form });
      expect(asked).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
    }
  });
});
