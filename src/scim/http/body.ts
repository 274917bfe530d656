import express, { type RequestHandler } from 'express';
import { ScimError } from '../errors.ts';

const JSON_TYPES = ['application/scim+json', 'application/json'];

/**
 * Reads a JSON body of at most `bytesMax`. An empty body is left undefined for the parser of the
 * operation to refuse; a body of another type answers 415.
 */
export function readJsonBody(bytesMax: number): RequestHandler[] {
  return [refuseOtherTypes, express.json({ limit: bytesMax, type: JSON_TYPES, strict: false })];
}

const refuseOtherTypes: RequestHandler = (req, _res, next) => {
  const length = req.headers['content-length'];
  const hasBody = req.headers['transfer-encoding'] !== undefined || Number(length ?? 0) > 0;
  if (!hasBody || isJsonType(req.headers['content-type'])) return next();
  next(new ScimError(415, 'The body has to be application/scim+json or application/json.'));
};

function isJsonType(header: string | undefined): boolean {
  const type = header?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return JSON_TYPES.includes(type);
}
