import { expect } from 'vitest';
import { startTestBridge } from './bridge.ts';
import type { TestAnswer } from './provider.ts';

/** More CPU time than an honest refusal takes on any machine, less than an exponential parser takes on the fastest. */
const CPU_MAX_MS = 1_000;

/** A bridge under attack, with ada, who is the only member of a group. */
export type Target = Awaited<ReturnType<typeof startTarget>>;

/** Starts a bridge that is to withstand everything a file throws at it. */
export async function startTarget() {
  const bridge = await startTestBridge();
  const ada = await bridge.addUser('ada');
  return { bridge, ada, pilots: await bridge.addGroup('Pilots', [ada]), stop: bridge.stop };
}

/**
 * Runs an attack beside an ordinary request. Both are answered, the attack costs no CPU time to speak of (time of this
 * thread, so that a busy machine does not count), prototypes are as before and everybody is still there.
 */
export async function attack(
  { bridge, ada, pilots }: Target,
  run: () => Promise<TestAnswer>,
): Promise<TestAnswer> {
  const prototypes = readPrototypes();
  const before = process.threadCpuUsage();
  const [answer, beside] = await Promise.all([run(), bridge.send('GET', `/Users/${ada}`)]);
  const { user, system } = process.threadCpuUsage(before);

  expect(readPrototypes()).toEqual(prototypes);
  expect((user + system) / 1_000).toBeLessThan(CPU_MAX_MS);
  expect(beside.body).toMatchObject({ id: ada, userName: 'ada@example.com' });
  expect(await bridge.readMemberIds(pilots)).toEqual([ada]);
  return answer;
}

function readPrototypes(): unknown {
  const builtIns = [
    Object,
    Object.prototype,
    Array.prototype,
    String.prototype,
    Function.prototype,
  ];
  return { names: builtIns.map(Object.getOwnPropertyNames), keys: Object.keys };
}

/** 400 with a SCIM error, or a list of nobody. */
export function expectRefused({ status, body }: TestAnswer): void {
  if (status === 200) expect(body).toMatchObject({ totalResults: 0, Resources: [] });
  else expect({ status, body }).toMatchObject({ status: 400, body: { status: '400' } });
}

/** An error with this status in the form that every provider understands. */
export function expectScimError({ status, headers, body }: TestAnswer, expected: number): void {
  expect(status).toBe(expected);
  expect(headers['content-type']).toMatch(/^application\/scim\+json/);
  expect(body).toMatchObject({
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    status: String(expected),
  });
  expect(body.detail).not.toBe('');
}
