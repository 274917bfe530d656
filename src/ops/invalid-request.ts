import { BridgeError } from '../domain/errors.ts';

/** An operator's request that cannot be understood: 400, because nothing may be guessed. */
export class InvalidRequest extends BridgeError {
  override readonly name = 'InvalidRequest';
  constructor(message: string) {
    super('invalid', message);
  }
}
