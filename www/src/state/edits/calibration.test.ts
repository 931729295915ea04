import { describe, expect, it } from 'vitest';
import { calibratedDocument } from './calibration.ts';

describe('a calibrated document', () => {
  const latency = { calibrated: { engine: 'ahead' } };

  it('has the coefficients from the beginning, and its edits stay edits', () => {
    const edits = [{ at_us: 5, set: { 'cluster.pools[0].replicas': 3 }, add: {} }];
    const document = { cluster: { pools: [{ replicas: 1, latency: 'catalogue' }] }, edits };
    const inForce = {
      cluster: {
        pools: [
          { replicas: 3, latency, kv: { blocks: 7 } },
          { replicas: 1, latency },
        ],
      },
      edits,
    };
    expect(calibratedDocument(document, inForce)).toEqual({
      cluster: { pools: [{ replicas: 1, latency, kv: { blocks: 7 } }] },
      edits,
    });
  });

  it('takes the whole cluster if the document leaves it to the defaults', () => {
    const cluster = { pools: [{ latency }] };
    expect(calibratedDocument({ seed: 7 }, { cluster, seed: 7 })).toEqual({ seed: 7, cluster });
  });
});
