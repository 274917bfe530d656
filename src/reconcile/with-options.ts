import type { CallOptions, Transport } from '../upstream/transport.ts';

/**
 * The same way to the service, whose calls get the options that `toOptions` makes of theirs: it is asked once a call, and
 * what it throws is how the call ends.
 */
export function withOptions<Given extends CallOptions>(
  upstream: Transport,
  toOptions: (options?: Given) => CallOptions | undefined,
): Transport {
  return {
    ...upstream,
    call: async (operation, args, options?: Given) =>
      upstream.call(operation, args, toOptions(options)),
    callChecked: async (operation, args, options?: Given) =>
      upstream.callChecked(operation, args, toOptions(options)),
  };
}
