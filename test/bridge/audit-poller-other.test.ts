import { expect, test } from 'vitest';
import { findUserRow, toObservedUser } from '../../src/store/users/users.ts';
import { PATIENT, startAuditWorld } from '../support/audit-world.ts';
import { createLeapingClock } from '../support/leaping-clock.ts';
import { NOTED_SHAPE, OTHER_SHAPE, type OtherShape } from '../support/other-service/shape.ts';
import { startOtherService } from '../support/other-service.ts';
import { addGroup, addUsers, send, toPatch } from '../support/provider.ts';
import { SWEEP_SETTINGS } from '../support/sweep.ts';

/** Sweeps come only where an event asks for one. */
const settings = { ...SWEEP_SETTINGS, SWEEP_INTERVAL: '30d' };
const LONG_MS = 10 * 60_000;

const logs: { what: string; shape: Partial<OtherShape> }[] = [
  { what: 'as publicly noted', shape: NOTED_SHAPE },
  {
    what: 'in other words, that names people in sentences alone',
    shape: OTHER_SHAPE,
  },
  {
    what: 'in words that nobody documents, with details as text',
    shape: { ...OTHER_SHAPE, auditWords: 'none known', auditDetails: 'text' },
  },
  {
    what: 'that is a minute late, newest first',
    shape: { ...NOTED_SHAPE, auditLateMs: 60_000, pageMax: OTHER_SHAPE.pageMax },
  },
];

test.each(logs)(
  'an audit log $what: others are seen, whom they changed is looked at, and nothing is changed',
  async ({ shape }) => {
    const clock = createLeapingClock();
    const service = await startOtherService({ shape, clock: clock.now });
    const admin = service.service.addUser({ email: 'admin@example.com', fullName: 'An Admin' });
    const world = await startAuditWorld({ service, clock, settings });
    const isSeenActive = async (id: string | undefined) => {
      const row = await findUserRow(world.store.read, id ?? '');
      return row && toObservedUser(row)?.active;
    };
    try {
      const ids = await addUsers(world, 3);
      await addGroup(world, 'Pilots', ids);
      const rename = { op: 'replace', path: 'name.familyName', value: 'King' };
      await send(world, 'PATCH', `/Users/${ids[0]}`, toPatch(rename));
      for (let times = 0; times < 6; times += 1) await world.poll(LONG_MS);
      service.calls.reset();
      service.service.as(admin.id, '198.51.100.7').setActive('person2@example.com', false);
      for (let times = 0; times < 3; times += 1) await world.poll(LONG_MS);

      const events = await world.store.read.selectFrom('audit_events').selectAll().execute();
      const foreign = events.filter(({ author_address: from }) => from === '198.51.100.7');
      expect(foreign).toMatchObject([{ origin: 'foreign', author_id: admin.id }]);
      await expect
        .poll(() => Promise.all(ids.map(isSeenActive)), PATIENT)
        .toEqual([true, false, true]);
      expect(service.calls.count({ mutating: true })).toBe(0);
    } finally {
      await world.stop();
      await service.stop();
    }
  },
);
