import { type Response, Router } from 'express';
import type { ErasureObstacle } from '../../domain/erasure.ts';
import type { Erasure } from '../../reconcile/erasure/erasure.ts';
import type { TraceCounts } from '../../store/erasure.ts';
import { answerKeyed, type Keyed } from '../keyed.ts';
import { noteTarget } from '../operator-acts.ts';

/** Shows and does erasures, by id, userName, displayName or address. */
export interface ErasureSource {
  readonly plan: (key: string) => Promise<Keyed<Erasure>>;
  /** With obstacles nothing is erased. */
  readonly erase: (key: string) => Promise<Keyed<Erasure>>;
  /** Told what was erased. */
  readonly told: (
    res: Response,
    erased: { readonly resourceId: string; readonly rows: number },
  ) => void;
}

/** What has to be done before somebody can be erased, in a sentence. */
const WORDS: Readonly<Record<ErasureObstacle, string>> = {
  managed:
    'A provider still has this person: have them deleted there, or send DELETE /scim/v2/Users/{id}.',
  'in-service':
    'The service shows this account, which would bring everything back: remove it there, then compare (scim-bridge sweep).',
  active:
    'The account works in the service: deactivate it there, or have the drift user.activated repaired.',
  pending:
    'Something of the deletion has not reached the service yet: GET /ops/users/{id} says what waits.',
  held: 'A plan or a recovery that is about this person waits: decide about it, or wait until it is done.',
  drifting: 'The service differs in something that is about this person: GET /ops/drifts shows it.',
  recent:
    'The bridge changed this person less than ten minutes ago, and the audit log may still tell of it: try again then.',
  erased: 'It was done before: nothing personal is left.',
};

/** What erasing somebody comes to, as an operator is shown it. */
export interface ErasureAnswer {
  readonly id: string;
  readonly userName: string;
  readonly account: number | null;
  readonly deleted: boolean;
  /** Whether a tombstone stays, of ids alone. */
  readonly staysHidden: boolean;
  readonly obstacles: readonly { readonly code: ErasureObstacle; readonly detail: string }[];
  readonly counts: TraceCounts;
}

/** `GET /users/{key}/erasure` shows what would be erased and what is in the way; `POST /users/{key}/erase` does it. */
export function createErasureRouter({ plan, erase, told }: ErasureSource): Router {
  const router = Router();
  router.get('/users/:key/erasure', async (req, res) => {
    answerKeyed(res, toAnswer(await plan(req.params.key)));
  });
  router.post('/users/:key/erase', async (req, res) => {
    const erased = toAnswer(await erase(req.params.key));
    if (erased.kind !== 'found') return answerKeyed(res, erased);
    const { value } = erased;
    noteTarget(res, value.id);
    if (value.obstacles.length > 0) return answerNotNow(res, value);
    const rows = Object.values(value.counts).reduce((sum, count) => sum + count, 1);
    told(res, { resourceId: value.id, rows });
    answerKeyed(res, erased);
  });
  return router;
}

function toAnswer(keyed: Keyed<Erasure>): Keyed<ErasureAnswer> {
  if (keyed.kind !== 'found') return keyed;
  const { isDeleted, obstacles, ...erasure } = keyed.value;
  const told = obstacles.map((code) => ({ code, detail: WORDS[code] }));
  return { kind: 'found', value: { ...erasure, deleted: isDeleted, obstacles: told } };
}

function answerNotNow(res: Response, { obstacles }: ErasureAnswer): void {
  const message = `Nothing was erased. ${obstacles.map(({ detail }) => detail).join(' ')}`;
  res.status(409).json({ code: 'not-erasable', message, obstacles });
}
