import { DEFAULT_PROVIDER } from '../../domain/provider.ts';
import { isProvider } from '../../store/credentials/providers.ts';
import { unknownProvider } from '../access/providers.ts';
import { parseColumnMap } from '../exports/read-entries.ts';
import { fileTaken, readFileEntries } from '../exports/read-file.ts';
import { type AnswerInParts, problem, route } from '../http/route.ts';
import type { OpsSources } from '../sources.ts';
import { type CensusTotals, compareAll } from './source.ts';

/** The request for a census. */
export const censusRoutes = [
  route({
    method: 'post',
    path: '/census',
    tag: 'Census',
    summary:
      "Compares a provider's own export of its people (CSV, or one JSON object a line) with the bridge and with the service as it was last seen. Changes nothing.",
    parameters: { provider: 'text', map: 'text' },
    meanings: {
      provider: 'Whose export it is; `default` when left out.',
      map: '`column=attribute` with commas, for columns that are not known; `column=` leaves one out.',
    },
    file: 'text/csv',
    readers: [],
    answers: { 200: 'Census', 404: 'Problem', 429: 'Problem', 503: 'Problem' },
    async handle(sources: OpsSources, { query: { filters }, req, res }) {
      const { provider = DEFAULT_PROVIDER } = filters;
      const map = parseColumnMap(filters.map ?? '');
      const { store, status, reserve } = sources;
      if (!(await isProvider(store.read, provider))) return unknownProvider();
      const { kind } = await status.readFirstRead();
      if (kind !== 'finished')
        return problem(503, 'could-not-look', 'The service is not read yet.');
      const end = reserve();
      if (end === undefined) return fileTaken();
      // Also where nobody waits for the answer any more.
      res.once('close', end);
      const entries = await readFileEntries(req, { map, idsOf: 'provider' }).catch(
        (error: unknown) => {
          end();
          throw error;
        },
      );
      const parts = toParts(compareAll(sources, { provider, entries }), end);
      // It tells and changes nothing, so it is no act.
      return { status: 200, parts, acts: [] } satisfies AnswerInParts;
    },
  }),
] as const;

/** Length of one part of the answer. */
const PART_LENGTH = 16_384;

/** The JSON of a census, whose numbers come last because they are known last. */
async function* toParts(
  findings: ReturnType<typeof compareAll>,
  end: () => void,
): AsyncGenerator<string> {
  let text = '{"items":[';
  let isFirst = true;
  for (;;) {
    const next = await findings.next();
    if (next.done) {
      // Before the end is told, so that who reads it may ask again.
      end();
      yield `${text}],${toTail(next.value)}`;
      return;
    }
    text += `${isFirst ? '' : ','}${JSON.stringify(next.value)}`;
    isFirst = false;
    if (text.length < PART_LENGTH) continue;
    yield text;
    text = '';
  }
}

function toTail(totals: CensusTotals): string {
  return JSON.stringify(totals).slice(1);
}
