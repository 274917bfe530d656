import type { RequestHandler } from 'express';
import { type AdmissionLimits, createAdmission } from '../domain/admission.ts';
import type { Clock } from '../domain/clock.ts';

/** Far more than operators, their scripts and their monitoring ask for together. */
const LIMITS: AdmissionLimits = { perSecond: 200, concurrentMax: 100 };
/** The limit is that of a process, whoever asks. */
const EVERYBODY = 'operators';

/** Turns away what operators ask for beyond what a process does for them: 429 `too-many`. To be placed behind the check of the token. */
export function limitOperators(clock: Pick<Clock, 'now'>): RequestHandler {
  const admission = createAdmission(LIMITS);
  return (_req, res, next) => {
    if (admission.begin(EVERYBODY, clock.now()) !== undefined) {
      const message = `More than ${LIMITS.perSecond} requests a second, or ${LIMITS.concurrentMax} at once.`;
      res.status(429).set('Retry-After', '1').json({ code: 'too-many', message });
      return;
    }
    res.once('close', () => admission.end(EVERYBODY));
    next();
  };
}
