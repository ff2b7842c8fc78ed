/** Recognizes public addresses. The model must not reach hosts inside this machine's network. */
import { BlockList, isIP } from "node:net";

const reserved = new BlockList();
const ranges4: readonly (readonly [string, number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  // Cloud metadata services, with the machine's credentials.
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
];
for (const [network, bits] of ranges4) reserved.addSubnet(network, bits, "ipv4");

const global6 = new BlockList();
global6.addSubnet("2000::", 3, "ipv6");
// Within that range: tunnels, which embed an IPv4 address, and documentation.
const reserved6 = new BlockList();
reserved6.addSubnet("2001::", 23, "ipv6");
reserved6.addSubnet("2001:db8::", 32, "ipv6");
reserved6.addSubnet("2002::", 16, "ipv6");
reserved6.addSubnet("3fff::", 20, "ipv6");

export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 4) return !reserved.check(address, "ipv4");
  if (isIP(address) !== 6) return false;
  return global6.check(address, "ipv6") && !reserved6.check(address, "ipv6");
}
