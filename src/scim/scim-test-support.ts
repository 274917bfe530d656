import { expect } from 'vitest';
import { createSchemas } from './schema/resource-schemas.ts';

/** The schemas of users and groups without those of the settings. */
export const { user: userSchema, group: groupSchema } = createSchemas([]);

/** The URN of the core schema. */
export { USER_SCHEMA_URI as core } from '../domain/extensions.ts';

/** The URN of the enterprise extension. */
export const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

/** Matches the error of a request that is answered with 400 and this type, in these words where they are given. */
export function refused(scimType: string, message?: string): Error {
  const words = message === undefined ? {} : { message };
  return expect.objectContaining({ status: 400, scimType, ...words });
}
