// What the page calls the tiers of KV; a store has the name that the scenario gives it.

type Names = {
  /** In a row. */
  readonly short: string;
  /** At the beginning of a line. */
  readonly long: string;
  /** After the name of its replica. */
  readonly own: string;
  /** Several of them. */
  readonly many: string;
};

const NAMES: Readonly<Record<string, Names>> = {
  gpu: { short: 'GPU', long: 'GPU', own: 'its GPU', many: 'GPUs' },
  cpu: { short: 'CPU', long: 'CPU memory', own: 'its CPU memory', many: 'CPU memory' },
  fs: { short: 'disk', long: 'Disk', own: 'its disk', many: 'Disks' },
  p2p: { short: 'peers', long: 'Peers', own: 'its peers', many: 'Peers' },
};

export const tierNames = (tier: string): Names =>
  NAMES[tier] ?? { short: tier, long: `Store ${tier}`, own: `store ${tier}`, many: `Store ${tier}` };
