// The thread of laws of queueing theory. Its module is the one built for speed.
import { answering } from './answering.ts';
import { ready, TheoryDesk } from './quick.ts';

answering(ready(), () => new TheoryDesk());
