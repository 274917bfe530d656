import type { Migration } from 'kysely/migration';
import { initial } from './001-initial.ts';
import { refusals } from './002-refusals.ts';
import { ownCalls } from './003-own-calls.ts';
import { recovery } from './003-recovery.ts';
import { rules } from './004-rules.ts';
import { sentCreates } from './005-sent-creates.ts';
import { drifts } from './006-drifts.ts';
import { auditEvents } from './007-audit-events.ts';
import { plans } from './008-plans.ts';
import { timeline } from './009-timeline.ts';
import { heldWishes } from './010-held-wishes.ts';
import { knownAccounts } from './012-known-accounts.ts';
import { harm } from './013-harm.ts';
import { callBudget } from './014-call-budget.ts';
import { replicas } from './015-replicas.ts';
import { access } from './016-access.ts';
import { erasure } from './017-erasure.ts';
import { decidedBy } from './018-decided-by.ts';
import { backlog } from './019-backlog.ts';
import { attempts } from './020-attempts.ts';
import { callOutcomes } from './022-call-outcomes.ts';
import { formerNames } from './025-former-names.ts';

/** The two databases that the store runs on. */
export type Engine = 'sqlite' | 'postgres';

/** Every migration in order, by name. A released one is never edited. */
export function migrations(engine: Engine): Record<string, Migration> {
  return {
    '001-initial': initial(engine),
    '002-refusals': refusals,
    '003-own-calls': ownCalls(engine),
    '004-rules': rules,
    '003-recovery': recovery(engine),
    '005-sent-creates': sentCreates,
    '006-drifts': drifts(engine),
    '007-audit-events': auditEvents,
    '009-timeline': timeline(engine),
    '010-held-wishes': heldWishes,
    '012-known-accounts': knownAccounts,
    '008-plans': plans(engine),
    '013-harm': harm,
    '016-access': access(engine),
    '014-call-budget': callBudget(engine),
    '015-replicas': replicas,
    '017-erasure': erasure,
    '018-decided-by': decidedBy,
    '019-backlog': backlog,
    '020-attempts': attempts,
    '022-call-outcomes': callOutcomes,
    '025-former-names': formerNames,
  };
}
