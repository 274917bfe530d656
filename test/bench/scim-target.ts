import { request } from 'undici';
import { z } from 'zod';

/** A bridge to send requests to. */
export interface ScimTarget {
  /** With its path, without a slash at the end. */
  readonly baseUrl: string;
  readonly token: string;
}

/** GETs one document. @param path below the base URL. @throws Error when the answer is not 200. */
export async function fetchScim({ baseUrl, token }: ScimTarget, path: string): Promise<unknown> {
  const { statusCode, body } = await request(`${baseUrl}${path}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`GET ${path}: ${statusCode} ${text.slice(0, 500)}`);
  return JSON.parse(text);
}

const createdResource = z.object({ id: z.string() });

/** POSTs a resource and tells its id. @param path below the base URL. @throws Error when the answer is not 201. */
export async function createScim(
  { baseUrl, token }: ScimTarget,
  path: string,
  resource: object,
): Promise<string> {
  const { statusCode, body } = await request(`${baseUrl}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' },
    body: JSON.stringify(resource),
  });
  const text = await body.text();
  if (statusCode !== 201) throw new Error(`POST ${path}: ${statusCode} ${text.slice(0, 500)}`);
  return createdResource.parse(JSON.parse(text)).id;
}

/** The body of a PATCH with one operation. @see RFC 7644 §3.5.2 */
export function toPatch(op: 'add' | 'remove' | 'replace', path: string, value?: unknown): string {
  return JSON.stringify({
    schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
    Operations: [{ op, path, value }],
  });
}
