// The names of charts in full, as in their tables and in the list to choose from.
import type { ChartName, ListedChart } from '../base/chartList.ts';
import { trust } from '../base/trust.ts';

const TITLES: Readonly<Record<ListedChart, string>> = {
  replicas: 'Replicas by stage',
  'ttft-over-time': 'TTFT over time',
  'ttft-density': 'TTFT density',
  'e2e-over-time': 'E2E over time',
  'itl-over-time': 'ITL over time',
  'wait-over-time': 'Waiting time over time',
  throughput: 'Requests a second',
  'goodput-over-time': 'Goodput around faults',
  'attempts-over-time': 'Attempts of a request',
  'queue-depth': 'Waiting by replica',
  running: 'Running by replica',
  'kv-use': 'KV in use by replica',
  'gateway-bands': 'Gateway queue by band, and saturation',
  stages: 'Requests by stage',
  transfers: 'Transfers under way',
  'ports-out': 'Ports out by replica',
  'ports-in': 'Ports in by replica',
  'ttft-ecdf': 'TTFT distribution',
  'e2e-ecdf': 'E2E distribution',
  'itl-ecdf': 'ITL distribution',
  'wait-ecdf': 'Waiting time distribution',
  'step-time': 'Step time by batch size',
};

export const titleOf = (name: ChartName): string => trust<Readonly<Record<string, string>>>(TITLES)[name] ?? name;
