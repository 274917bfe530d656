import type { DriftAnswer } from '../../../src/ops/schemas/drift.ts';
import { expectThat, until } from '../expect.ts';
import { readDrifts, toDriftLine } from '../ops.ts';
import { ADA, ALAN, GRACE, PAYROLL } from '../people.ts';
import type { Talk } from '../talk.ts';
import { ADMIN } from '../world.ts';

/** Drifts that the administrator makes. */
const CHANGES = ['member.added', 'member.removed', 'user.deactivated'];

/** An administrator changes three things in the service; the bridge says who it was, and changes them back. */
export async function playBehindTheBack(talk: Talk): Promise<void> {
  const { screen, world } = talk;
  const { service, behindTheBack } = world;
  await screen.headline("An administrator changes things behind the provider's back");
  await screen.say(
    `${ADMIN.email} takes Ada out of ${PAYROLL}, puts Alan in, and deactivates Grace.`,
  );
  behindTheBack.removeMember(PAYROLL, ADA.email);
  behindTheBack.addMember(PAYROLL, ALAN.email);
  behindTheBack.setActive(GRACE.email, false);

  const startedAt = performance.now();
  const drifts = await until(
    'three changes are repaired',
    () => readDrifts(talk),
    (found) => found.length === CHANGES.length && found.every(isRepaired),
  );
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  await screen.say('The bridge reads the audit log, looks at these three, and repairs them:');
  await screen.request('GET /ops/drifts');
  await screen.answer(...drifts.map(toDriftLine));
  const kinds = drifts.map(({ kind }) => kind).toSorted();
  expectThat(kinds.join() === CHANGES.join(), `these were the changes: ${kinds.join()}`);
  expectThat(drifts.every(isByAdmin), 'the audit log names the administrator of each');
  const members = service.members(PAYROLL);
  expectThat(members.join() === `${ADA.email},${GRACE.email}`, `${PAYROLL} is as it was`);
  expectThat(service.getUser(GRACE.email).active, 'Grace is active again');
  await screen.say(`After ${seconds} s the service is again as the provider wants it.`);
}

function isRepaired({ status }: DriftAnswer): boolean {
  return status === 'repaired';
}

function isByAdmin({ who }: DriftAnswer): boolean {
  return who?.address === ADMIN.address && ADMIN.email.startsWith(`${who.username}`);
}
