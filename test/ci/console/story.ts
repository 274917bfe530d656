import { expect, vi } from 'vitest';
import type { TestBridge } from '../../support/bridge.ts';
import { startTestBridge } from '../../support/bridge.ts';
import { failing } from '../../support/faults.ts';
import { OPS_TOKEN } from '../../support/operator.ts';
import { admit, replace } from '../../support/provider.ts';

/** What readers present to the bridge of the story. */
export const READER_TOKEN = 'reader-token-of-the-story';
export { OPS_TOKEN };

const STAFF = [
  ...['Ada Lovelace', 'Alan Turing', 'Barbara Liskov', 'Claude Shannon', 'Donald Knuth'],
  ...['Dorothy Vaughan', 'Edsger Dijkstra', 'Frances Allen', 'Grace Hopper', 'Hedy Lamarr'],
  ...['Ivan Sutherland', 'John McCarthy', 'Joan Clarke', 'Karen Jones', 'Katherine Johnson'],
  ...['Leslie Lamport', 'Lynn Conway', 'Margaret Hamilton', 'Mary Jackson', 'Niklaus Wirth'],
  ...['Radia Perlman', 'Robin Milner', 'Shafi Goldwasser', 'Sophie Wilson', 'Tony Hoare'],
];
const INTRUDERS = 22;

/** A bridge with a past: providers wrote, an administrator changed the service, and a plan waits. */
export interface Story {
  readonly bridge: TestBridge;
  readonly origin: string;
  readonly ids: ReadonlyMap<string, string>;
  readonly payrollId: string;
}

/** Plays the story. */
export async function playStory(): Promise<Story> {
  const bridge = await startTestBridge({
    settings: {
      OPS_READER_TOKEN: READER_TOKEN,
      AUDIT_POLL_INTERVAL: '1s',
      DRIFT_POLICY: '{"member.added":"repair"}',
      SCIM_WRITE_WAIT: '300ms',
    },
  });
  const ids = new Map<string, string>();
  for (const name of STAFF) ids.set(toAddress(name), await provision(bridge, name));
  const idOf = (name: string) => ids.get(toAddress(name)) ?? '';
  const payrollId = await bridge.addGroup('Payroll', [idOf('Ada Lovelace'), idOf('Grace Hopper')]);
  await bridge.addGroup('Platform', STAFF.slice(2, 14).map(idOf));
  await bridge.addGroup('Support', STAFF.slice(10, 24).map(idOf));
  await refuse(bridge, idOf('Katherine Johnson'));
  await makeConflicts(bridge, payrollId);
  await makeCredentials(bridge);
  await changeBehindTheBack(bridge);
  return { bridge, origin: new URL(bridge.baseUrl).origin, ids, payrollId };
}

function toAddress(name: string): string {
  return `${name.toLowerCase().replace(' ', '.')}@example.com`;
}

async function provision(bridge: TestBridge, name: string): Promise<string> {
  const [givenName = '', familyName = ''] = name.split(' ');
  const userName = toAddress(name);
  return bridge.addUser(givenName, {
    ...{ userName, name: { givenName, familyName } },
    emails: [{ value: userName, type: 'work', primary: true }],
  });
}

async function refuse({ sandbox, ...bridge }: TestBridge, id: string): Promise<void> {
  const operation = 'scim.updateUser';
  const slow = sandbox.faults.add({ operation, fault: { kind: 'delay', delayMs: 600 } });
  const refused = sandbox.faults.add({ operation, fault: failing(400, 'message') });
  await bridge.patch(`/Users/${id}`, replace('name.familyName', 'Goble'));
  const read = async () => (await bridge.ops('GET', '/status')).body.stuckCount;
  await until(read, 1);
  slow.remove();
  refused.remove();
}

async function makeConflicts(bridge: TestBridge, payrollId: string): Promise<void> {
  const [name = ''] = STAFF;
  const again = {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
    userName: toAddress(name),
  };
  await bridge.request('POST', '/Users', again);
  await bridge.request('PATCH', `/Groups/${payrollId}`, {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
    Operations: [admit('nobody')],
  });
}

async function makeCredentials(bridge: TestBridge): Promise<void> {
  await bridge.ops('POST', '/tokens', { name: 'okta', expires: '365d' });
  await bridge.ops('POST', '/tokens', { name: 'monitoring', for: 'reader', expires: '90d' });
  await bridge.ops('POST', '/clients', { name: 'entra' });
}

async function changeBehindTheBack(bridge: TestBridge): Promise<void> {
  const { service } = bridge.sandbox;
  service.addUser({ email: 'mallory@example.com', fullName: 'Mallory Admin' });
  const admin = service.as('mallory@example.com', '203.0.113.9');
  const others = STAFF.filter((name) => !['Ada Lovelace', 'Grace Hopper'].includes(name));
  for (const name of others.slice(0, INTRUDERS)) admin.link('Payroll', toAddress(name));
  admin.unlink('Payroll', 'ada.lovelace@example.com');
  admin.updateUser('tony.hoare@example.com', { active: false });
  const read = async (path: string) => {
    const { body } = await bridge.ops('GET', path);
    return Array.isArray(body.items) ? body.items.length : 0;
  };
  await until(() => read('/plans?status=held'), 1);
  await until(() => read('/drifts?status=open&kind=member.removed'), 1);
  await until(() => read('/drifts?status=open&kind=user.deactivated'), 1);
}

/** Also before the first test, where `expect.poll` cannot be. */
async function until(read: () => Promise<unknown>, wanted: unknown): Promise<void> {
  const patient = { timeout: 30_000, interval: 20 };
  await vi.waitFor(async () => expect(await read()).toBe(wanted), patient);
}
