// The thread of what-if questions. Its module is the one built for speed.
import { answering } from './answering.ts';
import { ready, WhatIfDesk } from './quick.ts';

answering(ready(), () => new WhatIfDesk());
