//! One server and every kind of traffic, service and order.

use super::common::{
    SERVICE_US, accept, client, cluster, exponential_lengths, poisson, run, shares, single_steps, times,
    two_lengths, waits,
};
use tokenyard::base::math::{exp, pow};
use tokenyard::engine::Cluster;
use tokenyard::queueing::theory::{PriorityClass, cobham, mm1, pollaczek_khinchine};
use tokenyard::scenario::{Arrivals, ClassScores, Lengths, PriorityPolicy, Scenario, Scheduler, SloClass};

/// One server whose service takes 1 us for each prompt token.
fn server() -> Scenario {
    cluster(1, 1, [0.0, 1.0, 0.0])
}

/// The means of S and of S squared, as they came out.
fn service_moments(engine: &Cluster) -> (f64, f64) {
    let service: Vec<f64> = engine.records().iter().map(|r| f64::from(r.prompt_tokens)).collect();
    let mean = |x: &dyn Fn(f64) -> f64| service.iter().map(|s| x(*s)).sum::<f64>() / service.len() as f64;
    (mean(&|s| s), mean(&|s| s * s))
}

#[test]
fn mg1_waits_as_pollaczek_and_khinchine_say_whatever_the_lengths() {
    // Wq = lambda E[S^2] / (2 (1 - rho)), and a share of 1 - rho does not wait.
    let lognormal =
        Lengths::Lognormal { median_tokens: 700.0, sigma: 0.8, min_tokens: 1, max_tokens: 20_000 };
    let gaussian =
        Lengths::Gaussian { mean_tokens: 1000.0, sd_tokens: 250.0, min_tokens: 1, max_tokens: 2000 };
    for lengths in [two_lengths(400, 0.8, 3400), exponential_lengths(), lognormal, gaussian] {
        let rate = 600.0;
        let engine = run(&single_steps(server(), poisson(rate), lengths.clone(), 150_000));
        let (mean, square) = service_moments(&engine);
        let rho = rate * mean / 1e6;
        let scv = square / (mean * mean) - 1.0;
        let exact = mean * pollaczek_khinchine(rho, scv).expect("stable");
        let waits = waits(&engine);
        accept(&format!("mean wait, {lengths:?}"), &waits, exact);
        let at_once: Vec<f64> = waits.iter().map(|w| f64::from(u8::from(*w < 0.5))).collect();
        accept(&format!("share that does not wait, {lengths:?}"), &at_once, 1.0 - rho);
    }
}

#[test]
fn mg1_with_many_steps_for_each_request_waits_as_pollaczek_and_khinchine_say() {
    // S = 100 us for each output token: 4 or 34 of them, E[S] = 1000, E[S^2] = 2.44e6.
    let mut s = cluster(1, 1, [100.0, 0.0, 0.0]);
    s.workload.clients =
        vec![client(poisson(600.0), Lengths::Constant { tokens: 16 }, two_lengths(4, 0.8, 34))];
    s.run.max_requests = 100_000;
    let engine = run(&s);
    accept("mean wait", &waits(&engine), 600.0 * 2.44 / (2.0 * 0.4));
}

#[test]
fn mm1_times_are_exponential() {
    // P(T > t) = exp(-(1 - rho) t / S).
    let rho = 0.5;
    let engine =
        run(&single_steps(server(), poisson(rho * 1e6 / SERVICE_US), exponential_lengths(), 200_000));
    let law = mm1(rho).expect("stable");
    accept("mean time", &times(&engine), SERVICE_US * law.time);
    for t in [1.0, 3.0, 6.0] {
        let longer =
            shares(engine.records(), |r| r.e2e.get().expect("it is known").0 as f64 > t * SERVICE_US);
        accept(&format!("share above {t} S"), &longer, law.share_above(t));
    }
}

#[test]
fn a_renewal_stream_into_an_exponential_server_gives_the_root_of_its_transform() {
    // GI/M/1: sigma = A*((1 - sigma) / S), T = S / (1 - sigma). Constant gaps: exp(-(1 - sigma) / rho). Gamma gaps of
    // coefficient of variation c: (1 + (1 - sigma) c^2 / rho)^(-1 / c^2).
    let root = |transform: &dyn Fn(f64) -> f64| (0..500).fold(0.5, |sigma, _| transform(sigma));
    let constant = root(&|sigma| exp(-(1.0 - sigma) / 0.8));
    let gamma = |cv: f64| root(&|sigma| pow(1.0 + (1.0 - sigma) * cv * cv / 0.8, -1.0 / (cv * cv)));
    let rate_per_s = 800.0;
    for (arrivals, sigma) in [
        (Arrivals::Constant { rate_per_s }, constant),
        (Arrivals::Gamma { rate_per_s, cv: 0.5 }, gamma(0.5)),
        (Arrivals::Gamma { rate_per_s, cv: 1.5 }, gamma(1.5)),
    ] {
        let s = single_steps(server(), arrivals.clone(), exponential_lengths(), 250_000);
        accept(&format!("mean time, {arrivals:?}"), &times(&run(&s)), SERVICE_US / (1.0 - sigma));
    }
}

/// Two classes of constant services, 500 us at 600/s and 1500 us at 300/s: loads 0.3 and 0.45.
fn two_classes(scheduler: Scheduler) -> Scenario {
    let of = |class: SloClass, rate: f64, tokens: u32| {
        let mut c = client(poisson(rate), Lengths::Constant { tokens }, Lengths::Constant { tokens: 1 });
        c.slo_class = class;
        c
    };
    let mut s = server();
    s.workload.clients = vec![of(SloClass::Critical, 600.0, 500), of(SloClass::Standard, 300.0, 1500)];
    s.run.max_requests = 150_000;
    let engine = &mut s.cluster.pools[0].engine;
    engine.scheduler = scheduler;
    engine.priority = PriorityPolicy::SloClass(ClassScores::default());
    s
}

#[test]
fn two_priority_classes_wait_as_cobham_says() {
    // R = sum of lambda E[S^2] / 2 = 412.5 us. The first waits R / (1 - rho1), the second R / ((1 - rho1) (1 - rho)),
    // and first come, first served all R / (1 - rho). Shortest first is the same as a class for each length.
    let residual = 412.5;
    let class =
        |per_s: f64, us: f64| PriorityClass { rate: per_s / 1e6, service: us, service_squared: us * us };
    let waited = cobham(&[class(600.0, 500.0), class(300.0, 1500.0)]).expect("stable");
    let (first, second) = (waited[0], waited[1]);
    for scheduler in [Scheduler::PriorityFcfs, Scheduler::Sjf] {
        let engine = run(&two_classes(scheduler));
        let of = |client: u32| -> Vec<f64> {
            let mine = engine.records().iter().filter(|r| r.client == client);
            mine.map(|r| (r.first_scheduled.get().expect("it is known").0 - r.arrival.0) as f64).collect()
        };
        accept(&format!("{scheduler:?}, critical and short"), &of(0), first);
        accept(&format!("{scheduler:?}, standard and long"), &of(1), second);
    }
    let engine = run(&two_classes(Scheduler::Fcfs));
    accept("first come, first served", &waits(&engine), residual / 0.25);
}

#[test]
fn no_order_of_service_changes_the_work_that_waits() {
    // The integral of the unfinished work is the sum of S W + S^2 / 2, and no order without idling changes the work: the sum
    // of S W is the same to the microsecond (Kleinrock's conservation law, path by path).
    let waited = |scheduler| -> u64 {
        let engine = run(&two_classes(scheduler));
        let each = |r: tokenyard::engine::Record| {
            u64::from(r.prompt_tokens) * (r.first_scheduled.get().expect("it is known").0 - r.arrival.0)
        };
        engine.records().iter().map(each).sum()
    };
    let fcfs = waited(Scheduler::Fcfs);
    for other in [Scheduler::Sjf, Scheduler::PriorityFcfs, Scheduler::ReversePriority] {
        assert_eq!(waited(other), fcfs, "{other:?}");
    }
}

#[test]
fn last_come_first_served_has_the_same_mean_and_a_larger_variance() {
    let in_order = |priority: PriorityPolicy| {
        let mut s = single_steps(
            cluster(1, 1, [SERVICE_US, 0.0, 0.0]),
            poisson(500.0),
            Lengths::Constant { tokens: 16 },
            150_000,
        );
        s.cluster.pools[0].engine.scheduler = Scheduler::PriorityFcfs;
        s.cluster.pools[0].engine.priority = priority;
        waits(&run(&s))
    };
    let (first, last) = (in_order(PriorityPolicy::SloBased), in_order(PriorityPolicy::InvertedSlo));
    // Equal services: the instants of departure are the same, so the sums are equal to the microsecond.
    let sum = |x: &[f64]| x.iter().map(|w| *w as u64).sum::<u64>();
    assert_eq!(sum(&first), sum(&last));
    // M/D/1 at load 0.5: Var W = (E W)^2 + lambda S^3 / (3 (1 - rho)); from last to first, E W^2 is 1 / (1 - rho) as large.
    let rho: f64 = 0.5;
    let mean = SERVICE_US * rho / (2.0 * (1.0 - rho));
    let square = 2.0 * mean * mean + rho * SERVICE_US * SERVICE_US / (3.0 * (1.0 - rho));
    let squares = |x: &[f64]| x.iter().map(|w| w * w).collect::<Vec<f64>>();
    accept("E W^2 in order", &squares(&first), square);
    let larger = squares(&last).iter().sum::<f64>() / squares(&first).iter().sum::<f64>();
    assert!((larger * (1.0 - rho) - 1.0).abs() < 0.1, "{larger} times, {} exact", 1.0 / (1.0 - rho));
}

#[test]
fn a_busy_period_lasts_one_service_by_the_share_of_idle_time() {
    // It begins with an arrival at an idle server, and lasts S / (1 - rho) on average.
    let engine = run(&single_steps(server(), poisson(700.0), two_lengths(400, 0.8, 3400), 150_000));
    let (mut periods, mut ends) = (Vec::new(), 0);
    for r in engine.records() {
        if r.arrival.0 >= ends {
            periods.push(0.0);
            ends = r.arrival.0;
        }
        *periods.last_mut().expect("the first arrival finds nobody") += f64::from(r.prompt_tokens);
        ends += u64::from(r.prompt_tokens);
        assert_eq!(
            r.finish().get().expect("it is known").0,
            ends,
            "first come, first served, without a pause"
        );
    }
    let (mean, _) = service_moments(&engine);
    accept("busy period", &periods, mean / (1.0 - 700.0 * mean / 1e6));
}
