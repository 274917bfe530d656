import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonValue } from '../../src/domain/json.ts';
import { attack, expectRefused, startTarget, type Target } from '../support/attack.ts';
import { toPatch, toUser } from '../support/provider.ts';
import { type RawRequest, sendRaw } from '../support/send-raw.ts';

const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

let target: Target;

beforeAll(async () => {
  target = await startTarget();
});

afterAll(() => target.bridge.stop());

/** JSON text keeps `__proto__` as a key, which an object literal would not. */
function parse(text: string): JsonValue {
  return JSON.parse(text) as JsonValue;
}

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
      const answer = await attack(target, () =>
        target.bridge.request('POST', '/Users', parse(text)),
      );

      expect([201, 400]).toContain(answer.status);
      expect(answer.text).not.toContain('polluted');
      if (answer.status === 201)
        await target.bridge.send('DELETE', `/Users/${String(answer.body.id)}`);
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
      const body = toPatch({ op: 'add', path, value: 'polluted' });

      expectRefused(
        await attack(target, () => target.bridge.request('PATCH', `/Users/${target.ada}`, body)),
      );
    });
  }

  test.each(['constructor.prototype.polluted', 'name.shoeSize'])(
    'a PATCH of an attribute that is none changes nothing: %s',
    async (path) => {
      const before = (await target.bridge.send('GET', `/Users/${target.ada}`)).body;
      const body = toPatch({ op: 'add', path, value: 'polluted' });

      const answer = await target.bridge.send('PATCH', `/Users/${target.ada}`, body);

      expect(answer.body).toEqual(before);
      expect(Object.prototype).not.toHaveProperty('polluted');
    },
  );

  test('a value that looks like a filter takes nobody else out of a group', async () => {
    const value = [{ value: 'x" or value pr or value eq "' }];
    const body = toPatch({ op: 'remove', path: 'members', value });

    await attack(target, () => target.bridge.request('PATCH', `/Groups/${target.pilots}`, body));

    expect(await target.bridge.readMemberIds(target.pilots)).toEqual([target.ada]);
  });

  const depth = 100_000;
  const deep = [
    { what: 'objects', body: `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}` },
    {
      what: 'an array as emails',
      body: `{"userName":"e@x.example","emails":${'['.repeat(depth)}${']'.repeat(depth)}}`,
    },
  ];
  for (const { what, body } of deep) {
    test(`nesting of 100,000 levels is refused: ${what}`, async () => {
      const isPatch = what.startsWith('a PATCH');
      const path = isPatch ? `/Users/${target.ada}` : '/Users';

      expectRefused(
        await attack(target, () =>
          sendRaw(target.bridge, { method: isPatch ? 'PATCH' : 'POST', path, body }),
        ),
      );
    });
  }

  test('a body that never says its length is told 413 before it ends', async () => {
    const answered = Promise.withResolvers<void>();
    const text = JSON.stringify(toUser('eve', { title: 'x'.repeat(2_000_000) }));
    async function* waitBeforeTheEnd() {
      yield* toChunks(text);
      await answered.promise;
    }

    const answer = await attack(target, () => post(waitBeforeTheEnd()));
    answered.resolve();

    expect(answer).toMatchObject({ status: 413, body: { status: '413' } });
  });

  for (const encoding of ['gzip', 'deflate', 'br', 'zstd']) {
    test(`a body that is not packed as it says is refused: ${encoding}`, async () => {
      expectRefused(await attack(target, () => post('{}', { 'content-encoding': encoding })));
    });
  }
});

async function* toChunks(text: string): AsyncGenerator<Buffer> {
  for (let start = 0; start < text.length; start += 64_000) {
    yield Buffer.from(text.slice(start, start + 64_000));
  }
}

function post(body: NonNullable<RawRequest['body']>, headers: Record<string, string> = {}) {
  return sendRaw(target.bridge, { method: 'POST', path: '/Users', headers, body });
}
