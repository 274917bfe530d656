/** Address for a process on the same machine: "every interface" is no address to connect to. */
export function toLocalAddress(host: string, port: number): string {
  const loopback = new Map([
    ['0.0.0.0', '127.0.0.1'],
    ['::', '::1'],
  ]);
  const address = loopback.get(host) ?? host;
  return `http://${address.includes(':') ? `[${address}]` : address}:${port}`;
}
