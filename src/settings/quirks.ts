import { z } from 'zod';
import { structured } from './kinds.ts';

/** Behaviour of the service that an operator names. */
export function quirks() {
  const schema = z.strictObject({
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
  return structured(schema, {
    allowed:
      'a map of apiVersion (latest, v1), emailForm (strings, objects), nameOnCreate (true, false), memberForm (operations, array, single), groupScimId (restId, uid), filter (false) and userNameUpdates (false); JSON in the variable',
    show: (value) => JSON.stringify(value),
  });
}
