import { z } from 'zod';
import { duration, httpUrl, kindFacts, proxyUrl, secret, wholeNumber } from '../kinds.ts';

const quirksSchema = z.strictObject({
  /** Version in the paths of REST calls. */
  apiVersion: z.enum(['latest', 'v1']).exactOptional(),
  /** How `emails` is written when a user is created. */
  emailForm: z.enum(['strings', 'objects']).exactOptional(),
  /** Whether the service takes the name when a user is created, which saves the second call. */
  nameOnCreate: z.boolean().exactOptional(),
  /** How one PATCH names many members: one operation for each, one array of values, or one member a call. */
  memberForm: z.enum(['operations', 'array', 'single']).exactOptional(),
  /** Which REST id of a group its SCIM id equals. */
  groupScimId: z.enum(['restId', 'uid']).exactOptional(),
  /** `false`: the service is never asked to filter lists of users. */
  filter: z.literal(false).exactOptional(),
  /** `false`: a changed userName is never offered to the service. */
  userNameUpdates: z.literal(false).exactOptional(),
});

const QUIRKS =
  'a map of apiVersion (latest, v1), emailForm (strings, objects), nameOnCreate (true, false), memberForm (operations, array, single), groupScimId (restId, uid), filter (false) and userNameUpdates (false)';

/** Behaviour of the service that an operator names: a map, or its JSON text in the environment. */
function quirks() {
  return z
    .union([z.string().transform(parseText), z.record(z.string(), z.unknown())])
    .transform((value, context) => {
      const { data, error } = quirksSchema.safeParse(value);
      if (data !== undefined) return data;
      const names = error.issues.flatMap((issue) =>
        issue.code === 'unrecognized_keys' ? issue.keys : issue.path.map(String),
      );
      const wrong = names.length === 0 ? 'it' : names.join(' and ');
      const message = `${wrong} cannot be read; allowed: ${QUIRKS}`;
      context.addIssue({ code: 'custom', message, params: {} });
      return z.NEVER;
    })
    .register(kindFacts, {
      allowed: `${QUIRKS}; JSON in the variable`,
      show: (value) => JSON.stringify(value),
    });
}

/** The value of a JSON text; any other text is refused as no map. */
function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The work-management service, and facts about it that its documents leave open. */
export const upstreamSchema = z.strictObject({
  url: httpUrl()
    .optional()
    .describe(
      'Base address of the service. If not set, the bridge serves and uses an embedded sandbox.',
    ),
  token: secret({ charactersMin: 1 })
    .optional()
    .describe(
      'API token of the service, required with `upstream.url`. `scim-bridge check` lists the rights that its owner needs.',
    ),
  requestsPerSecond: wholeNumber({ min: 0, max: 1_000 })
    .prefault(5)
    .describe(
      'Most calls a second, of all processes on the store together. Give each process the same number. 0 means no limit. The service allows 5.',
    ),
  proxy: proxyUrl().optional().describe('HTTP proxy for every call to the service.'),
  timeout: duration({ min: '100ms', max: '5m' })
    .prefault('10s')
    .describe(
      'How long the bridge waits for an answer to begin and to continue. A call with its repeats may take three times as long.',
    ),
  pageSize: wholeNumber({ min: 1, max: 500 })
    .prefault(100)
    .describe('Entries per page when the bridge reads a list of the service.'),
  membersPerCall: wholeNumber({ min: 1, max: 1_000 })
    .prefault(100)
    .describe('Most members that one PATCH of a group adds or removes.'),
  attemptsBeforeStuck: wholeNumber({ min: 2, max: 1_000 })
    .prefault(10)
    .describe(
      'After so many failures, while other changes succeed, an accepted change is stuck: it is reported and tried about once an hour. Ten attempts take about eight minutes.',
    ),
  quirks: quirks()
    .prefault({})
    .describe(
      'Behaviour that the documents of the service leave open, as a map. The bridge finds out and remembers whatever is not named here.',
    ),
});
