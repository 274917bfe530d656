import { listExpiring } from '../access/credentials.ts';
import { isUnmanagedKind } from '../domain/change.ts';
import { DAY_MS } from '../domain/clock.ts';
import { toCount } from '../domain/values.ts';
import type { Condition, Notice, Observed } from '../notify/notifier.ts';
import { putTest } from '../notify/notifier.ts';
import { toHold } from '../ops/lists/details.ts';
import type { OpsSources } from '../ops/sources.ts';
import type { WritesFacts } from '../ops/state/readiness-facts.ts';
import { LEAVER_LATE_MS } from '../ops/state/readiness-facts.ts';
import type { Reason } from '../ops/state/reasons.ts';
import { readReadiness } from '../ops/state/reasons.ts';
import { findLeaverHold } from '../ops/state/routes.ts';
import type { LiveCredential } from '../store/credentials.ts';
import { listLiveCredentials } from '../store/credentials.ts';
import { countDriftsAfter } from '../store/drifts.ts';
import type { WaitingPlan } from '../store/plans.ts';
import { countWaitingPlans } from '../store/plans.ts';
import type { LateLeavers } from '../store/resources/backlog.ts';
import { findLateLeavers } from '../store/resources/backlog.ts';
import type { Db } from '../store/store.ts';
import { createShared } from '../store/tables.ts';
import type { TenureParts } from './parts.ts';

/** States of one process, or in which nothing can be sent. */
const NOT_SENT: ReadonlySet<string> = new Set(['starting', 'draining', 'no-leader']);

/** Leavers who get a message each, the oldest first; the reason `leavers-late` counts all. */
const LEAVERS_MAX = 10;
/** Times before an expiry at which a message is sent, in days. */
const EXPIRY_DAYS = [30, 3] as const;

/** Reads the conditions for receivers. */
export async function observeBridge(parts: TenureParts): Promise<Observed> {
  const { store, clock, writes } = parts;
  const { read } = store;
  const now = clock.now();
  const [{ reasons }, plans, credentials, leavers] = await Promise.all([
    readReadiness(parts),
    countWaitingPlans(read),
    listLiveCredentials(read),
    findLateLeavers(read, { before: now - LEAVER_LATE_MS, limit: LEAVERS_MAX }),
  ]);
  const sent = reasons.filter(({ code }) => !NOT_SENT.has(code));
  const byCode = [...new Map(sent.map((reason) => [reason.code, reason])).values()];
  return {
    conditions: [
      ...byCode.map(toReason),
      ...plans.map(toPlan),
      ...toExpiries(credentials, now),
      ...leavers.some.map((leaver) => toLeaver(leaver, writes())),
    ],
    findNews: (tx) => findDriftNews(tx, now),
  };
}

function toReason({ code, detail, remedy }: Reason): Condition {
  const text = `${code}: ${detail} ${remedy}`;
  return {
    key: `reason:${code}`,
    began: toNotice('reason.began', text, { code, detail, remedy }),
    ended: toNotice('reason.ended', `${code} is over.`, { code }),
  };
}

function toPlan({ id, source, waiting, reason }: WaitingPlan): Condition {
  const why = reason ?? 'it is above its limits';
  const text = `A plan of ${toCount(waiting, 'change')} (${source}) waits for an operator: ${why}. scim-bridge plan show`;
  const began = toNotice('plan.held', text, { plan: id, source, waiting, reason });
  return { key: `plan:${id}`, began };
}

function toExpiries(live: readonly LiveCredential[], now: number): Condition[] {
  return listExpiring(live, now).flatMap(({ name, purpose, expiresAt }) => {
    if (expiresAt === null) return [];
    const at = new Date(expiresAt).toISOString();
    const days = EXPIRY_DAYS.filter((count) => expiresAt - now <= count * DAY_MS);
    return days.map((count): Condition => {
      const text = `A credential for ${purpose} expires at ${at}. scim-bridge token list, scim-bridge client list`;
      const began = toNotice('credential.expires', text, { purpose, expiresAt: at });
      const key = `credential:${purpose}:${name}:${at}:${count}`;
      return { key, began: { ...began, names: { credential: name } } };
    });
  });
}

function toLeaver(leaver: LateLeavers['some'][number], writes: WritesFacts): Condition {
  const { id, left_at, name: userName, plan } = leaver;
  const heldBy = findLeaverHold(leaver, writes);
  const why = heldBy === undefined ? '' : `, ${toHold({ heldBy, plan })}`;
  const data = { user: id, acceptedAt: new Date(left_at).toISOString() };
  const late = `A deactivated user may still have access${why}: the deactivation of ${id} was accepted at ${data.acceptedAt} and is not confirmed. scim-bridge why ${id}`;
  const done = `The deactivation of ${id} waits no more: the service holds it, or a later request or an operator took it back.`;
  const held = heldBy && { heldBy, ...(plan !== null && { plan }) };
  return {
    key: `leaver:${id}:${left_at}`,
    began: { ...toNotice('leaver.late', late, { ...data, ...held }), names: { userName } },
    ended: toNotice('leaver.done', done, data),
  };
}

function toNotice(type: string, text: string, data: Notice['data']): Notice {
  return { type, text, data, names: {} };
}

const NOTIFIED_DRIFTS = createShared<{ readonly seq: number }>('notified-drifts');

/** One notice for each kind of difference that was found since the last time; none of those before the first time. */
async function findDriftNews(tx: Db, now: number): Promise<readonly Notice[]> {
  const known = await NOTIFIED_DRIFTS.find(tx);
  const found = await countDriftsAfter(tx, known?.seq ?? 0);
  if (known !== undefined && found.length === 0) return [];
  const seq = Math.max(known?.seq ?? 0, ...found.map(({ last }) => last));
  await NOTIFIED_DRIFTS.save(tx, { seq }, now);
  if (known === undefined) return [];
  return found.map(({ kind, count }) => {
    const list = isUnmanagedKind(kind) ? 'unmanaged' : 'drifts';
    const text = `Others changed the service: ${kind}, ${count}. GET /ops/${list}?kind=${kind}`;
    return toNotice(`drift.found.${kind}`, text, { kind, count });
  });
}

/** Receivers as operators try them, in every process; the leader sends. */
export function toNotificationSource(parts: TenureParts): OpsSources['notifications'] {
  const { receivers } = parts.settings.notify;
  return {
    receivers: receivers.map(({ name }) => name),
    async test(name) {
      const ids = await parts.store.write(async (tx) => {
        const stored: string[] = [];
        for (const one of receivers.filter((known) => known.name === (name ?? known.name)))
          stored.push(await putTest(tx, one, parts.clock.now()));
        return stored;
      });
      parts.store.bell.ring('decided');
      return ids;
    },
  };
}
